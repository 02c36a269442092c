import type { Overview, Range } from '../../../management/settings/overview.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Page, Place, Visit } from '../../route.ts';
import { page } from '../../route.ts';
import { plotCard } from './card.ts';
import { plots } from './plots.ts';

const RANGES: Record<Range, { name: string; span: string }> = {
  '1h': { name: '1 hour', span: 'hour' },
  '24h': { name: '24 hours', span: '24 hours' },
  '7d': { name: '7 days', span: '7 days' },
};
const DEFAULT: Range = '24h';

const rangeOf = ({ query }: Visit): Range =>
  (Object.keys(RANGES) as Range[]).find((range) => range === query.get('range')) ?? DEFAULT;

function rangeLinks(visit: Visit, current: Range): Html {
  const links = Object.entries(RANGES).map(
    ([range, { name }]) =>
      html`<a class="button compact" href="${visit.to(`/overview?range=${range}`)}"${range === current && html` aria-current="true"`}>${name}</a>`,
  );
  return html`<nav class="ranges" aria-label="Range">${links}</nav>`;
}

const isEmpty = ({ total, before, running, waiting }: Overview): boolean =>
  [...Object.values(total), ...Object.values(before), running, waiting].every((count) => count === 0);

async function showOverview(visit: Visit): Promise<Page> {
  const range = rangeOf(visit);
  const { span } = RANGES[range];
  const { value: overview } = await visit.perform<Overview>('GET /overview', { query: { range } });
  const nothing = html`<div class="empty"><p>Nothing has happened in the last ${span}.</p><a class="button" href="${visit.to('/directory/applications')}">Set up an application</a></div>`;
  return {
    title: 'Overview',
    lead: `What happened in the last ${span}, and what waits now.`,
    actions: rangeLinks(visit, range),
    // As long as it is empty it is renewed as a whole, and then each card by itself.
    content: isEmpty(overview)
      ? html`<div id="overview" data-live>${nothing}</div>`
      : html`<div id="overview"><div class="plots">${plots.map((plot) => plotCard(visit, plot, overview, span))}</div></div>`,
    live: ['figures'],
    modules: ['console/plot'],
  };
}

/** How the tenant is doing. */
export const overview: Place = {
  path: '/overview',
  name: 'Overview',
  letter: 'o',
  sections: [{ path: '/overview', name: 'Overview' }],
  routes: [page('/overview', showOverview)],
};
