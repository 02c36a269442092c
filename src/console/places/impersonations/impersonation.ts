import type { ImpersonationRow } from '../../../database/tables/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Names } from '../../parts/names.ts';
import { state, when } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';

/** As its row of the Management API answers it. */
export type Impersonation = Omit<ImpersonationRow, 'tenantId'>;

/** Parameters of its pages are those of its rows. */
export const IMPERSONATION = '/impersonations/:id';

export const readImpersonation = async ({ perform, params }: Visit): Promise<Impersonation> =>
  (await perform<Impersonation>('GET /impersonations/:id', { params })).value;

export const isRunning = ({ revokedAt, expiresAt }: Impersonation, now: number): boolean =>
  revokedAt === null && expiresAt > now;

export function stateOf(one: Impersonation, now: number): Html {
  if (isRunning(one, now)) return state('info', 'Running');
  return one.revokedAt === null ? state('off', 'Over') : state('warn', 'Ended');
}

/** Counts down by itself where there is JavaScript. */
export const timeLeft = (one: Impersonation, now: number): Html | false =>
  isRunning(one, now) &&
  html`<time data-until datetime="${new Date(one.expiresAt).toISOString()}">${minutes(one.expiresAt - now)}</time>`;

const minutes = (ms: number): string => `${Math.ceil(ms / 60_000)} min`;

export const ended = (one: Impersonation, now: number): Html =>
  when(one.revokedAt ?? (one.expiresAt <= now ? one.expiresAt : null), now);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** By the keys that the documented claims script reads, and the audit log keeps. */
export const reasonOf = ({ context }: Impersonation): string => text(context.reason);
export const ticketOf = ({ context }: Impersonation): string => text(context.ticketId);

export const who = (one: Impersonation, { people }: Names): string =>
  one.actorId === null ? 'Somebody' : (people.get(one.actorId) ?? one.actorId);

export const asWhom = (one: Impersonation, { people }: Names): string => people.get(one.subjectId) ?? one.subjectId;

export const mentions = (all: readonly Impersonation[]) => ({
  people: all.flatMap(({ subjectId, actorId }) => [subjectId, actorId]),
  applications: all.map(({ applicationId }) => applicationId),
});
