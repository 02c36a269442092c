import { type Html, html } from '../../../pages/html.ts';
import { exportLink } from '../../export/export-link.ts';
import { bulkForm } from '../../parts/bulk.ts';
import { buttonLink, filters } from '../../parts/form-parts.ts';
import { listFilters, textNote } from '../../parts/list-filters.ts';
import { applicationLink, type Names, namesOf, userLink } from '../../parts/names.ts';
import { orderQuery, pageQuery, pager, table, tabs, timeOrder, when, withQuery } from '../../parts/parts.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';
import { ENDING } from './end-selected.ts';
import {
  type Impersonation,
  isActive,
  reasonOf,
  referencedIds,
  stateOf,
  subjectName,
  ticketOf,
  timeLeft,
} from './impersonation.ts';

const PICKED = [
  ['subjectId', 'User', 'user'],
  ['actorId', 'Actor', 'user'],
  ['applicationId', 'Application', 'application'],
] as const;

const WHICH = [
  ['', 'All'],
  ['true', 'Active'],
  ['false', 'Ended'],
] as const;

function tabsOf(request: ConsoleRequest, active: string): Html {
  const links = WHICH.map(([value, name]) => {
    const query = new URLSearchParams(request.query);
    query.delete('page');
    if (value) query.set('active', value);
    else query.delete('active');
    return { href: `?${query.toString()}`, name, isHere: value === active };
  });
  return tabs('Status', links);
}

/** The reason and the ticket. Either of them can be missing. */
const reasonCell = (one: Impersonation): Html => {
  const [reason, ticket] = [reasonOf(one), ticketOf(one)];
  if (!reason && !ticket) return html`<span class="quiet">none given</span>`;
  return html`${reason}${reason && ticket && ' · '}${ticket && html`<span class="mono">${ticket}</span>`}`;
};

const applicationCell = (
  request: ConsoleRequest,
  names: Names,
  { applicationId, resource, organizationId }: Impersonation,
): Html =>
  html`<div>${applicationLink(request, names, applicationId)}</div><div class="mono">${resource ?? organizationId}</div>`;

/** The query of the Management API for the filters in the URL. */
export function impersonationQuery(request: ConsoleRequest) {
  const chosen = listFilters(request, PICKED);
  const active = WHICH.find(([value]) => value === request.query.get('active'))?.[0] ?? '';
  return { chosen, active, query: { ...chosen.query, ...orderQuery(request), ...(active && { active }) } };
}

async function showImpersonations(request: ConsoleRequest): Promise<Page> {
  const { chosen, active, query } = impersonationQuery(request);
  const { value: all, total } = await request.perform('GET /impersonations', {
    query: { ...query, ...pageQuery(request) },
  });
  const names = await namesOf(request, referencedIds(all), chosen.ids);
  const inputs = [...chosen.picked(names), chosen.text, chosen.time];
  const isNarrowed = chosen.isNarrowed || active !== '';
  const mayEnd = !request.missingRole(ENDING.path, 'submit');
  const canEnd = (one: Impersonation) => mayEnd && isActive(one, request.now);
  return {
    title: 'Impersonations',
    lead: 'Who is acting as whom, why, and until when.',
    actions: html`${buttonLink(request, '/impersonations/new', 'Act as a user', 'primary')}${exportLink(request, 'impersonations', total)}`,
    content: html`${tabsOf(request, active)}
${filters(request.to('/impersonations'), html`${inputs}${active && html`<input type="hidden" name="active" value="${active}">`}`, chosen.isNarrowed)}
<div id="impersonations" data-live>
${table({
  caption: 'Impersonations',
  select: {
    form: ENDING.id,
    isOffered: canEnd,
    nameOf: (one) => `the impersonation of ${subjectName(one, names)}`,
  },
  rows: all,
  empty: isNarrowed
    ? 'No impersonations match these filters.'
    : html`<p>No one has been impersonated yet.</p><a class="button" href="${request.to('/impersonations/policy')}">Set policy</a>`,
  columns: [
    {
      label: 'User',
      cell: (one) =>
        html`<a href="${request.to(withQuery(`/impersonations/${one.id}`, request))}">${subjectName(one, names)}</a>`,
    },
    { label: 'Status', cell: (one) => html`${stateOf(one, request.now)} <span>${timeLeft(one, request.now)}</span>` },
    { label: 'Actor', cell: ({ actorId }) => userLink(request, names, actorId) },
    { label: 'Reason', cell: reasonCell },
    { label: 'Application', cell: (one) => applicationCell(request, names, one) },
    { label: 'Started', head: timeOrder(request, 'Started'), cell: ({ issuedAt }) => when(issuedAt, request.now) },
  ],
})}
${textNote(chosen)}
${pager(request, total)}
</div>
${all.some(canEnd) && bulkForm(request, ENDING)}`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

export const impersonationList = page('/impersonations', showImpersonations);
