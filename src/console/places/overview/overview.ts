import type { Overview, Range } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
import { plotHelp } from '../../parts/plot.ts';
import { exactRangeIn, rangeText } from '../../parts/time-range.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';
import { attention } from './attention.ts';
import { plotCard } from './card.ts';
import { gettingStarted, gettingStartedActions } from './getting-started.ts';
import { plots } from './plots.ts';

const RANGES: Record<Range, { name: string; span: string }> = {
  '1h': { name: '1 hour', span: 'hour' },
  '24h': { name: '24 hours', span: '24 hours' },
  '7d': { name: '7 days', span: '7 days' },
};
const DEFAULT: Range = '24h';

const rangeOf = ({ query }: ConsoleRequest): Range =>
  (Object.keys(RANGES) as Range[]).find((range) => range === query.get('range')) ?? DEFAULT;

function rangeLinks(request: ConsoleRequest, current: Range | undefined): Html {
  const links = Object.entries(RANGES).map(
    ([range, { name }]) =>
      html`<a class="button compact" href="${request.to(`/overview?range=${range}`)}"${range === current && html` aria-current="true"`}>${name}</a>`,
  );
  return html`<nav class="ranges" aria-label="Time range">${links}</nav>`;
}

const isEmpty = ({ total, before, running, waiting }: Overview): boolean =>
  [...Object.values(total), ...Object.values(before), running, waiting].every((count) => count === 0);

async function showOverview(request: ConsoleRequest): Promise<Page> {
  const exact = exactRangeIn(request);
  const range = exact ? undefined : rangeOf(request);
  const query = exact ? { since: String(exact.since), until: String(exact.until) } : { range: range ?? DEFAULT };
  const [{ value: overview }, needed, checklist] = await Promise.all([
    request.perform('GET /overview', { query }),
    attention(request),
    gettingStarted(request),
  ]);
  const span = range ? RANGES[range].span : 'period';
  const lead = range ? `Activity in the last ${span}.` : html`Activity from ${rangeText(overview)}.`;
  const nothing = html`<div class="empty"><p>${range ? `No activity in the last ${span}.` : 'No activity in this period.'}</p><a class="button" href="${request.to('/directory/applications')}">View applications</a></div>`;
  return {
    title: 'Overview',
    lead,
    actions: rangeLinks(request, range),
    // While the overview is empty it is refreshed as a whole; afterwards each card is refreshed separately.
    content: html`<div id="attention" data-live>${needed}</div>
<div id="getting-started" data-live>${checklist}</div>
${
  isEmpty(overview)
    ? html`<div id="overview" data-live>${nothing}</div>`
    : html`<div id="overview">${plotHelp()}<div class="plots">${plots.map((plot) => plotCard(request, plot, overview, span))}</div></div>`
}`,
    live: ['figures', 'hooks'],
    modules: ['console/plot'],
  };
}

/** Faults that need attention, the first steps of a new tenant, and figures of the tenant's activity. */
export const overview = [page('/overview', showOverview), ...gettingStartedActions(showOverview)];
