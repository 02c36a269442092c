import type { Hook } from '../../../entities.ts';
import { type EventType, eventTypes } from '../../../events/catalogue.ts';
import type { Html } from '../../../pages/html.ts';
import { duration, state } from '../../parts/parts.ts';
import type { ConsoleRequest, ServiceSettings } from '../../route.ts';

export type { Hook };

/** Path of a webhook's page. Its parameter has the same name as in the Management API. */
export const HOOK = '/webhooks/:id';

/** A request of a page of a webhook. */
export type AtHook = ConsoleRequest<{ id: string }>;

export const hookPath = ({ id }: { id: string }, below = ''): string => `/webhooks/${encodeURIComponent(id)}${below}`;

export const readHook = async ({ perform }: AtHook): Promise<Hook> => (await perform('GET /hooks/:id')).value;

/** Returns all events of a webhook, including the deprecated single `event`. */
export const eventsOf = ({ event, events }: Hook): string[] => [...new Set([...events, ...(event ? [event] : [])])];

export const isPaused = ({ enabled, pausedUntil = 0 }: Hook, now: number): boolean => enabled && pausedUntil > now;

export function healthOf(hook: Hook, now: number): Html {
  const { enabled, disabledReason, failingSince } = hook;
  if (!enabled && disabledReason !== undefined) return state('bad', 'Disabled automatically');
  if (!enabled) return state('off', 'Disabled');
  if (isPaused(hook, now)) return state('warn', 'Paused');
  return failingSince === undefined ? state('ok', 'Active') : state('warn', 'Failing');
}

/** The retry schedule in words: "11 attempts over about 76 hours". */
export function retryPolicy({ retryScheduleSeconds }: ServiceSettings): string {
  const attempts = retryScheduleSeconds.length;
  const seconds = retryScheduleSeconds.reduce((sum, delay) => sum + delay, 0);
  if (attempts === 1) return NO_RETRIES;
  const unit = seconds >= 7_200 ? 3_600 : seconds >= 120 ? 60 : 1;
  return `${attempts} attempts over about ${duration(Math.round(seconds / unit) * unit)}`;
}

export const NO_RETRIES = 'One attempt, no retries';

const GROUPS: [name: string, prefix: RegExp][] = [
  ['Sign-in pages', /^Post/],
  ['Users', /^User\./],
  ['Roles', /^Role\./],
  ['Scopes', /^Scope\./],
  ['Organizations', /^Organization\./],
  ['Organization roles', /^OrganizationRole\./],
  ['Organization scopes', /^OrganizationScope\./],
];

/** All event types, grouped by entity. */
export const eventGroups: readonly { name: string; events: EventType[] }[] = GROUPS.map(([name, prefix]) => ({
  name,
  events: eventTypes.filter((type) => prefix.test(type)),
}));

/** Options of a select of event types. */
export const eventOptions: readonly (readonly [string, string])[] = eventTypes.map((type) => [type, type]);
