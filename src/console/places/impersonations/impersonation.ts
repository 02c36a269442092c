import { MINUTE_MS } from '../../../base/times.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import type { Names } from '../../parts/names.ts';
import { state, when } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';

/** An impersonation as the Management API returns it. */
export type Impersonation = Result<'GET /impersonations/:id'>;

/** Path of an impersonation's page. Its parameter has the same name as in the Management API. */
export const IMPERSONATION = '/impersonations/:id';

/** A request of a page of an impersonation. */
export type AtImpersonation = ConsoleRequest<{ id: string }>;

export const readImpersonation = async ({ perform }: AtImpersonation): Promise<Impersonation> =>
  (await perform('GET /impersonations/:id')).value;

export const isActive = ({ revokedAt, expiresAt }: Impersonation, now: number): boolean =>
  revokedAt === null && expiresAt > now;

export function stateOf(one: Impersonation, now: number): Html {
  if (isActive(one, now)) return state('info', 'Active');
  return one.revokedAt === null ? state('off', 'Expired') : state('warn', 'Revoked');
}

/** The time left. With JavaScript it counts down. */
export const timeLeft = (one: Impersonation, now: number): Html | false =>
  isActive(one, now) &&
  html`<time data-until datetime="${new Date(one.expiresAt).toISOString()}">${minutes(one.expiresAt - now)}</time>`;

const minutes = (ms: number): string => `${Math.ceil(ms / MINUTE_MS)} min`;

export const endedAt = (one: Impersonation, now: number): Html =>
  when(one.revokedAt ?? (one.expiresAt <= now ? one.expiresAt : null), now);

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** The reason, from the context key that the documented claims script and the audit log use. */
export const reasonOf = ({ context }: Impersonation): string => text(context.reason);
export const ticketOf = ({ context }: Impersonation): string => text(context.ticketId);

export const subjectName = (one: Impersonation, { users }: Names): string => users.get(one.subjectId) ?? one.subjectId;

/** Undefined if the exchange had no actor token. */
export const actorName = ({ actorId }: Impersonation, { users }: Names): string | undefined =>
  actorId === null ? undefined : (users.get(actorId) ?? actorId);

/** "Uma acting as Barbara Ritchie", or "Acting as Barbara Ritchie" without an actor. */
export function titleOf(one: Impersonation, names: Names): string {
  const actor = actorName(one, names);
  return `${actor === undefined ? 'Acting' : `${actor} acting`} as ${subjectName(one, names)}`;
}

export const referencedIds = (all: readonly Impersonation[]) => ({
  users: all.flatMap(({ subjectId, actorId }) => [subjectId, actorId]),
  applications: all.map(({ applicationId }) => applicationId),
});
