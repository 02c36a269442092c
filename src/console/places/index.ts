import type { Place } from '../route.ts';
import { claims } from './claims/index.ts';
import { directory } from './directory/index.ts';
import { impersonations } from './impersonations/index.ts';
import { overview } from './overview/index.ts';
import { settings } from './settings/index.ts';
import { webhooks } from './webhooks/index.ts';

/** The places, in the order of the rail. Each is a folder with an `index.ts`; `../route.ts` explains its parts. */
export const places: readonly Place[] = [overview, impersonations, claims, webhooks, directory, settings];
