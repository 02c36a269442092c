import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { state, table, when } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { nextAttempt } from './health.ts';
import { type Hook, hookPath } from './hook.ts';

export type Delivery = Result<'GET /delivery-feed'>['deliveries'][number];

export const STATES = [
  ['waiting', 'Pending or retrying'],
  ['delivering', 'Delivering'],
  ['delivered', 'Delivered'],
  ['dead', 'Failed permanently'],
  ['cancelled', 'Canceled'],
] as const;
const KINDS = { waiting: 'info', delivering: 'info', delivered: 'ok', dead: 'bad', cancelled: 'off' } as const;
const TRIGGERS = { schedule: 'Event', manual: 'Redelivery', replay: 'Replay' };

export const stateOf = ({ state: name, attempts }: Delivery): Html =>
  name === 'waiting'
    ? state(attempts > 0 ? 'warn' : 'info', attempts > 0 ? 'Retrying' : 'Pending')
    : state(KINDS[name], STATES.find(([value]) => value === name)?.[1] ?? name);

export const triggerOf = ({ trigger }: Delivery): string => TRIGGERS[trigger];

interface DeliveryTableParts {
  deliveries: readonly Delivery[];
  /** The webhooks of the deliveries. With several, each row names its own. */
  hooks: readonly Hook[];
  empty: string;
}

export function deliveryTable(request: ConsoleRequest, { deliveries, hooks, empty }: DeliveryTableParts): Html {
  const byId = new Map(hooks.map((hook) => [hook.id, hook]));
  const hookOf = ({ hookId }: Delivery) => byId.get(hookId);
  const webhook = {
    label: 'Webhook',
    cell: (delivery: Delivery) => {
      const hook = hookOf(delivery);
      return hook && html`<a href="${request.to(hookPath(hook))}">${hook.name}</a>`;
    },
  };
  return table({
    caption: 'Deliveries, newest first',
    rows: deliveries,
    empty,
    columns: [
      {
        label: 'Event',
        cell: ({ id, hookId, event }) =>
          html`<a href="${request.to(hookPath({ id: hookId }, `/deliveries/${id}`))}">${event}</a>`,
      },
      ...(hooks.length > 1 ? [webhook] : []),
      { label: 'Status', cell: stateOf },
      { label: 'Response', cell: ({ lastStatus }) => lastStatus, isNumber: true },
      { label: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
      {
        label: 'Next attempt',
        cell: (delivery) => {
          const hook = hookOf(delivery);
          return delivery.state === 'waiting' && hook && nextAttempt(hook, delivery.dueAt, request.now);
        },
      },
      { label: 'Trigger', cell: triggerOf },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
    ],
  });
}
