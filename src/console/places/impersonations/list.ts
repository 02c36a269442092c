import { type Html, html } from '../../../pages/html.ts';
import { filters } from '../../parts/filters.ts';
import { application, type Names, namesOf, person } from '../../parts/names.ts';
import { pageQuery, pager, table, tabs, when } from '../../parts/parts.ts';
import { type Page, page, type Visit } from '../../route.ts';
import { asWhom, type Impersonation, mentions, reasonOf, stateOf, ticketOf, timeLeft } from './impersonation.ts';

/** What the address may narrow the list to: parameter of the row, and what it is called. */
const FILTERS = [
  ['subjectId', 'As whom'],
  ['actorId', 'Who'],
  ['applicationId', 'Application'],
] as const;

const WHICH = [
  ['', 'All'],
  ['true', 'Running'],
  ['false', 'Past'],
] as const;

function tabsOf(visit: Visit, active: string): Html {
  const links = WHICH.map(([value, name]) => {
    const query = new URLSearchParams(visit.query);
    query.delete('page');
    if (value) query.set('active', value);
    else query.delete('active');
    return { href: `?${query.toString()}`, name, isHere: value === active };
  });
  return tabs('Which', links);
}

/** What was said of it. A ticket without a reason is one too. */
const why = (one: Impersonation): Html => {
  const [reason, ticket] = [reasonOf(one), ticketOf(one)];
  if (!reason && !ticket) return html`<span class="quiet">not said</span>`;
  return html`${reason}${reason && ticket && ' · '}${ticket && html`<span class="mono">${ticket}</span>`}`;
};

const where = (visit: Visit, names: Names, { applicationId, resource, organizationId }: Impersonation): Html =>
  html`<div>${application(visit, names, applicationId)}</div><div class="mono">${resource ?? organizationId}</div>`;

async function showImpersonations(visit: Visit): Promise<Page> {
  const active = WHICH.find(([value]) => value === visit.query.get('active'))?.[0] ?? '';
  const fields = FILTERS.map(([name, label]) => ({ name, label, value: visit.query.get(name)?.trim() ?? '' }));
  const given = fields.filter(({ value }) => value !== '');
  const query = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const { value: all, total } = await visit.perform<Impersonation[]>('GET /impersonations', {
    query: { ...query, ...(active && { active }), ...pageQuery(visit) },
  });
  const names = await namesOf(visit, mentions(all));
  const inputs = fields.map(
    ({ name, label, value }) =>
      html`<label>${label}<input type="search" name="${name}" value="${value}" placeholder="Id" autocomplete="off" spellcheck="false" maxlength="128"></label>`,
  );
  const isNarrowed = given.length > 0 || active !== '';
  return {
    title: 'Impersonations',
    lead: 'Who acted as whom, where, why, and for how much longer.',
    actions: html`<a class="button primary" href="${visit.to('/impersonations/new')}">Act as a user</a>`,
    content: html`${tabsOf(visit, active)}
${filters(visit.to('/impersonations'), html`${inputs}${active && html`<input type="hidden" name="active" value="${active}">`}`, given.length > 0)}
<div id="impersonations" data-live>
${table({
  caption: 'Impersonations, newest first',
  rows: all,
  empty: isNarrowed
    ? 'No impersonation is like this.'
    : html`<p>Nobody has acted as somebody else.</p><a class="button" href="${visit.to('/impersonations/policy')}">Set the policy first</a>`,
  columns: [
    {
      label: 'As whom',
      cell: (one) => html`<a href="${visit.to(`/impersonations/${one.id}`)}">${asWhom(one, names)}</a>`,
    },
    { label: 'State', cell: (one) => html`${stateOf(one, visit.now)} <span>${timeLeft(one, visit.now)}</span>` },
    { label: 'Who', cell: ({ actorId }) => person(visit, names, actorId) },
    { label: 'Why', cell: why },
    { label: 'Where', cell: (one) => where(visit, names, one) },
    { label: 'Begun', cell: ({ issuedAt }) => when(issuedAt, visit.now) },
  ],
})}
${pager(visit, total)}
</div>`,
    live: ['impersonations'],
    modules: ['console/countdown'],
  };
}

export const impersonationList = page('/impersonations', showImpersonations);
