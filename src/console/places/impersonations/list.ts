import { type Html, html } from '../../../pages/html.ts';
import { buttonLink, filters } from '../../parts/form-parts.ts';
import { applicationLink, type Names, namesOf, userLink } from '../../parts/names.ts';
import { pageQuery, pager, table, tabs, when } from '../../parts/parts.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';
import {
  type Impersonation,
  reasonOf,
  referencedIds,
  stateOf,
  subjectName,
  ticketOf,
  timeLeft,
} from './impersonation.ts';

/** Filters in the URL: parameter of the Management API, and label. */
const FILTERS = [
  ['subjectId', 'User'],
  ['actorId', 'Actor'],
  ['applicationId', 'Application'],
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

async function showImpersonations(request: ConsoleRequest): Promise<Page> {
  const active = WHICH.find(([value]) => value === request.query.get('active'))?.[0] ?? '';
  const fields = FILTERS.map(([name, label]) => ({ name, label, value: request.query.get(name)?.trim() ?? '' }));
  const applied = fields.filter(({ value }) => value !== '');
  const query = Object.fromEntries(applied.map(({ name, value }) => [name, value]));
  const { value: all, total } = await request.perform('GET /impersonations', {
    query: { ...query, ...(active && { active }), ...pageQuery(request) },
  });
  const names = await namesOf(request, referencedIds(all));
  const inputs = fields.map(
    ({ name, label, value }) =>
      html`<label>${label}<input type="search" name="${name}" value="${value}" placeholder="ID" autocomplete="off" spellcheck="false" maxlength="128"></label>`,
  );
  const isNarrowed = applied.length > 0 || active !== '';
  return {
    title: 'Impersonations',
    lead: 'Who is acting as whom, why, and until when.',
    actions: buttonLink(request, '/impersonations/new', 'Act as a user', 'primary'),
    content: html`${tabsOf(request, active)}
${filters(request.to('/impersonations'), html`${inputs}${active && html`<input type="hidden" name="active" value="${active}">`}`, applied.length > 0)}
<div id="impersonations" data-live>
${table({
  caption: 'Impersonations, newest first',
  rows: all,
  empty: isNarrowed
    ? 'No impersonations match these filters.'
    : html`<p>No one has been impersonated yet.</p><a class="button" href="${request.to('/impersonations/policy')}">Set policy</a>`,
  columns: [
    {
      label: 'User',
      cell: (one) => html`<a href="${request.to(`/impersonations/${one.id}`)}">${subjectName(one, names)}</a>`,
    },
    { label: 'Status', cell: (one) => html`${stateOf(one, request.now)} <span>${timeLeft(one, request.now)}</span>` },
    { label: 'Actor', cell: ({ actorId }) => userLink(request, names, actorId) },
    { label: 'Reason', cell: reasonCell },
    { label: 'Application', cell: (one) => applicationCell(request, names, one) },
    { label: 'Started', cell: ({ issuedAt }) => when(issuedAt, request.now) },
  ],
})}
${pager(request, total)}
</div>`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

export const impersonationList = page('/impersonations', showImpersonations);
