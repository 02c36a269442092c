import { html } from '../../../pages/html.ts';
import { choice, filters } from '../../parts/filters.ts';
import { application, type Names, namesOf, person } from '../../parts/names.ts';
import { copyable, facts, pageQuery, pager, rawJson, state, table, when } from '../../parts/parts.ts';
import { type Page, page, type Visit } from '../../route.ts';

interface Entry {
  id: string;
  key: string;
  payload: {
    result: 'Success' | 'Error';
    applicationId?: string;
    userId?: string;
    actorId?: string;
    ip?: string;
    userAgent?: string;
    requestId?: string;
    details: Record<string, unknown>;
  };
  createdAt: number;
}

/** What the address may narrow the list to: parameter of the row, and what it is called. */
const FILTERS = [
  ['logKey', 'Action'],
  ['userId', 'On whom'],
  ['applicationId', 'Application'],
] as const;

const resultOf = ({ payload: { result } }: Entry) =>
  result === 'Success' ? state('ok', 'Done') : state('bad', 'Refused');

/** `Management.POST /users` is a route to machines; people are told the same without the prefix. */
const nameOf = ({ key }: Entry): string => key.replace(/^Management\./, '');

const RESULTS = [
  ['', 'Any'],
  ['Success', 'Done'],
  ['Error', 'Refused'],
] as const;

/** Who is spoken of, by name. An administrator of several tenants may be known in another one only. */
const namesIn = (visit: Visit, entries: Entry[]): Promise<Names> =>
  namesOf(visit, {
    people: entries.flatMap(({ payload: { userId = null, actorId = null } }) => [userId, actorId]),
    applications: entries.map(({ payload: { applicationId = null } }) => applicationId),
  });

const personOf = (visit: Visit, names: Names, id: string | undefined) => id && person(visit, names, id);
const applicationOf = (visit: Visit, names: Names, id: string | undefined) => id && application(visit, names, id);

async function showEntries(visit: Visit): Promise<Page> {
  const fields = FILTERS.map(([name, label]) => ({ name, label, value: visit.query.get(name)?.trim() ?? '' }));
  const [result] = RESULTS.find(([value]) => value === visit.query.get('result')) ?? RESULTS[0];
  const given = [...fields, { name: 'result', value: result }].filter(({ value }) => value !== '');
  const query = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const { value: entries, total } = await visit.perform<Entry[]>('GET /logs', {
    query: { ...query, ...pageQuery(visit) },
  });
  const names = await namesIn(visit, entries);
  const inputs = fields.map(
    ({ name, label, value }) =>
      html`<label>${label}<input type="${name === 'logKey' ? 'search' : 'text'}" name="${name}" value="${value}" autocomplete="off" spellcheck="false" maxlength="128"></label>`,
  );
  return {
    title: 'Audit log',
    lead: 'Who did what, on whom, from where, and why.',
    content: html`${filters(visit.to('/settings/audit'), [...inputs, choice('result', 'Result', RESULTS, result)], given.length > 0)}
<div id="entries" data-live>
${table({
  caption: 'Entries of the audit log, newest first',
  rows: entries,
  empty:
    given.length > 0
      ? 'No entry is like this.'
      : 'Nothing was done yet. Every change and every token leaves an entry here.',
  columns: [
    {
      label: 'Action',
      cell: (entry) => html`<a href="${visit.to(`/settings/audit/${entry.id}`)}">${nameOf(entry)}</a>`,
    },
    { label: 'Result', cell: resultOf },
    {
      label: 'By',
      cell: ({ payload: { actorId, applicationId } }) =>
        personOf(visit, names, actorId) || applicationOf(visit, names, applicationId),
    },
    { label: 'On whom', cell: ({ payload }) => personOf(visit, names, payload.userId) },
    { label: 'When', cell: ({ createdAt }) => when(createdAt, visit.now) },
  ],
})}
${pager(visit, total)}
</div>`,
    live: ['auditLog'],
  };
}

async function showEntry(visit: Visit): Promise<Page> {
  const { value: entry } = await visit.perform<Entry>('GET /logs/:id', { params: visit.params });
  const { applicationId, userId, actorId, ip, userAgent, requestId } = entry.payload;
  const names = await namesIn(visit, [entry]);
  return {
    title: nameOf(entry),
    back: { path: '/settings/audit', label: 'Audit log' },
    content: html`${facts([
      ['Result', resultOf(entry)],
      ['When', when(entry.createdAt, visit.now)],
      ['Application', applicationOf(visit, names, applicationId)],
      ['Person who acted', personOf(visit, names, actorId)],
      ['On whom', personOf(visit, names, userId)],
      ['From', ip],
      ['With', userAgent],
      ['Request', requestId && copyable(requestId)],
    ])}
${rawJson(entry)}`,
  };
}

export const auditLog = [page('/settings/audit', showEntries), page('/settings/audit/:id', showEntry)];
