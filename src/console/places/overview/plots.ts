import { MOST_COUNTED, type Overview } from '../../../management/settings/overview.ts';
import type { Plot } from './card.ts';

const whole = new Intl.NumberFormat('en');
const count = (value: number): string => whole.format(value);
const capped = (value: number): string => (value > MOST_COUNTED ? `${count(MOST_COUNTED)}+` : count(value));
const meanMs = ({ scriptMicros, scriptRuns }: Overview['total']): number =>
  scriptRuns === 0 ? 0 : scriptMicros / scriptRuns / 1_000;
const milliseconds = (value: number): string => `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ms`;

const tokens = (of: Overview['total']): number =>
  of.tokensByCode + of.tokensByRefresh + of.tokensByClient + of.impersonationsBegun;
const refused = (of: Overview['total']): number => of.tokensRefused + of.requestsRefused;
const attempts = (of: Overview['total']): number => of.deliveriesDelivered + of.deliveriesRetried + of.deliveriesDead;

/** The plots of the overview, in order. At most three series each. */
export const plots: readonly Plot[] = [
  {
    id: 'tokens',
    title: 'Tokens issued',
    rows: '/settings/audit',
    value: tokens,
    text: count,
    series: [
      { name: 'People', value: (at) => at.tokensByCode + at.tokensByRefresh },
      { name: 'Machines', value: (at) => at.tokensByClient },
      { name: 'Impersonations', value: (at) => at.impersonationsBegun },
    ],
  },
  {
    id: 'impersonations',
    title: 'Impersonations',
    rows: '/impersonations',
    value: (of) => of.impersonationsBegun,
    text: count,
    now: ({ running }) => ({ text: `${capped(running)} running now`, rows: '/impersonations?active=true' }),
    series: [
      { name: 'Begun', value: (at) => at.impersonationsBegun },
      { name: 'Ended by somebody', value: (at) => at.impersonationsEnded },
    ],
    shape: 'lines',
  },
  {
    id: 'deliveries',
    title: 'Webhook attempts',
    rows: '/webhooks',
    value: attempts,
    text: count,
    series: [
      { name: 'Delivered', value: (at) => at.deliveriesDelivered },
      { name: 'Failed, to be retried', tone: 'warn', value: (at) => at.deliveriesRetried },
      { name: 'Given up', tone: 'bad', value: (at) => at.deliveriesDead },
    ],
  },
  {
    id: 'backlog',
    title: 'Deliveries waiting',
    rows: '/webhooks',
    value: (of) => of.backlog,
    text: count,
    headline: ({ waiting, total, before }, span) => ({
      number: capped(waiting),
      beside: `at most ${count(total.backlog)} in the last ${span}, ${count(before.backlog)} before that`,
    }),
    series: [{ name: 'Waiting', value: (at) => at.backlog }],
    shape: 'lines',
  },
  {
    id: 'runs',
    title: 'Script runs',
    rows: '/claims/access-token/runs',
    value: (of) => of.scriptRuns,
    text: count,
    series: [
      { name: 'Succeeded', value: (at) => at.scriptRuns - at.scriptDenials - at.scriptFailures },
      { name: 'Denied access', value: (at) => at.scriptDenials },
      { name: 'Failed', tone: 'bad', value: (at) => at.scriptFailures },
    ],
  },
  {
    id: 'script-time',
    title: 'Script time, mean',
    rows: '/claims/access-token/runs',
    value: meanMs,
    text: milliseconds,
    comparison: ['slower', 'faster'],
    series: [{ name: 'Mean of a run', value: meanMs }],
    shape: 'lines',
  },
  {
    id: 'errors',
    title: 'Requests refused',
    rows: '/settings/audit?result=Error',
    value: refused,
    text: count,
    series: [
      { name: 'For tokens', value: (at) => at.tokensRefused },
      { name: 'To change something', value: (at) => at.requestsRefused },
    ],
  },
];
