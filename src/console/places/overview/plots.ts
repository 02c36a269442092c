import { MAX_COUNTED, type Overview } from '../../../management/settings/overview.ts';
import type { Plot } from './card.ts';

const whole = new Intl.NumberFormat('en');
const count = (value: number): string => whole.format(value);
const capped = (value: number): string => (value > MAX_COUNTED ? `${count(MAX_COUNTED)}+` : count(value));
const meanMs = ({ scriptMicros, scriptRuns }: Overview['total']): number =>
  scriptRuns === 0 ? 0 : scriptMicros / scriptRuns / 1_000;
const milliseconds = (value: number): string => `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ms`;

const tokens = (of: Overview['total']): number =>
  of.tokensByCode + of.tokensByRefresh + of.tokensByClient + of.impersonationsBegun;
const refused = (of: Overview['total']): number => of.tokensRefused + of.requestsRefused;
const attempts = (of: Overview['total']): number => of.deliveriesDelivered + of.deliveriesRetried + of.deliveriesDead;

/** A list with the time range of the overview. */
const at =
  (path: string, filters: Record<string, string> = {}) =>
  (range: URLSearchParams): string =>
    `${path}?${new URLSearchParams([...Object.entries(filters), ...range])}`;

/** The plots of the overview, in order. */
export const plots: readonly Plot[] = [
  {
    id: 'tokens',
    title: 'Tokens issued',
    rows: at('/settings/audit'),
    value: tokens,
    text: count,
    series: [
      { name: 'Users', value: (at) => at.tokensByCode + at.tokensByRefresh },
      { name: 'Applications', value: (at) => at.tokensByClient },
      { name: 'Impersonations', value: (at) => at.impersonationsBegun },
    ],
  },
  {
    id: 'impersonations',
    title: 'Impersonations',
    rows: at('/impersonations'),
    value: (of) => of.impersonationsBegun,
    text: count,
    now: ({ running }) => ({ text: `${capped(running)} active now`, rows: '/impersonations?active=true' }),
    series: [
      { name: 'Started', value: (at) => at.impersonationsBegun },
      { name: 'Revoked', value: (at) => at.impersonationsEnded },
    ],
    shape: 'lines',
  },
  {
    id: 'deliveries',
    title: 'Webhook delivery attempts',
    rows: at('/webhooks/deliveries'),
    value: attempts,
    text: count,
    series: [
      { name: 'Delivered', value: (at) => at.deliveriesDelivered },
      { name: 'Failed, will retry', tone: 'warn', value: (at) => at.deliveriesRetried },
      { name: 'Failed permanently', tone: 'bad', value: (at) => at.deliveriesDead },
    ],
  },
  {
    id: 'backlog',
    title: 'Pending deliveries',
    rows: at('/webhooks/deliveries', { state: 'waiting' }),
    value: (of) => of.backlog,
    text: count,
    headline: ({ waiting, total, before }, span) => ({
      number: capped(waiting),
      beside: `peak ${count(total.backlog)} in the last ${span}, previously ${count(before.backlog)}`,
    }),
    series: [{ name: 'Pending', value: (at) => at.backlog }],
    shape: 'lines',
  },
  {
    id: 'runs',
    title: 'Script runs',
    rows: at('/claims/access-token/runs'),
    value: (of) => of.scriptRuns,
    text: count,
    series: [
      { name: 'Succeeded', value: (at) => at.scriptRuns - at.scriptDenials - at.scriptFailures },
      { name: 'Access denied', value: (at) => at.scriptDenials },
      { name: 'Failed', tone: 'bad', value: (at) => at.scriptFailures },
    ],
  },
  {
    id: 'script-time',
    title: 'Average script time',
    rows: at('/claims/access-token/runs'),
    value: meanMs,
    text: milliseconds,
    unit: 'ms',
    comparison: ['slower', 'faster'],
    series: [{ name: 'Average time', value: meanMs }],
    shape: 'lines',
  },
  {
    id: 'errors',
    title: 'Rejected requests',
    rows: at('/settings/audit', { result: 'Error' }),
    value: refused,
    text: count,
    series: [
      { name: 'Token requests', value: (at) => at.tokensRefused },
      { name: 'Management API', value: (at) => at.requestsRefused },
    ],
  },
];
