import type { Place } from '../route.ts';
import { claims } from './claims/index.ts';
import { directory } from './directory/index.ts';
import { impersonations } from './impersonations/index.ts';
import { overview } from './overview/index.ts';
import { settings } from './settings/index.ts';
import { webhooks } from './webhooks/index.ts';

/** The rail, in order. A place is one file, or a folder of one with `index.ts`; `../route.ts` says how it is made. */
export const places: readonly Place[] = [overview, impersonations, claims, webhooks, directory, settings];
