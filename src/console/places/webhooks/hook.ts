import type { Hook } from '../../../entities.ts';
import { type EventType, eventTypes } from '../../../events/catalogue.ts';
import type { Html } from '../../../pages/html.ts';
import { state } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';

export type { Hook };

/** Parameters of the pages of one webhook are those of its rows. */
export const HOOK = '/webhooks/:id';

export const hookPath = ({ id = '' }: { id?: string }, below = ''): string =>
  `/webhooks/${encodeURIComponent(id)}${below}`;

export const readHook = async ({ perform, params }: Visit): Promise<Hook> =>
  (await perform<Hook>('GET /hooks/:id', { params: { id: params.id ?? '' } })).value;

/** The older single `event` counts like the others. */
export const eventsOf = ({ event, events }: Hook): string[] => [...new Set([...events, ...(event ? [event] : [])])];

export function healthOf({ enabled, disabledReason, failingSince }: Hook): Html {
  if (!enabled && disabledReason !== undefined) return state('bad', 'Disabled');
  if (!enabled) return state('off', 'Off');
  return failingSince === undefined ? state('ok', 'Working') : state('warn', 'Failing');
}

const GROUPS: [name: string, prefix: RegExp][] = [
  ['Sign-in pages', /^Post/],
  ['Users', /^User\./],
  ['Roles', /^Role\./],
  ['Scopes', /^Scope\./],
  ['Organizations', /^Organization\./],
  ['Organization roles', /^OrganizationRole\./],
  ['Organization scopes', /^OrganizationScope\./],
];

/** Every event, by what it is about. */
export const eventGroups: readonly { name: string; events: EventType[] }[] = GROUPS.map(([name, prefix]) => ({
  name,
  events: eventTypes.filter((type) => prefix.test(type)),
}));

/** For a choice of one event. */
export const eventOptions: readonly (readonly [string, string])[] = eventTypes.map((type) => [type, type]);
