import { html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { choice, filters } from '../../parts/form-parts.ts';
import { applicationLink, type Names, namesOf, userLink } from '../../parts/names.ts';
import { copyable, facts, pageQuery, pager, rawJson, state, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';

type AuditLogEntry = Result<'GET /logs/:id'>;

/** Filters in the URL: parameter of the Management API, and label. */
const FILTERS = [
  ['logKey', 'Action'],
  ['userId', 'User'],
  ['applicationId', 'Application'],
] as const;

const resultOf = ({ payload: { result } }: AuditLogEntry) =>
  result === 'Success' ? state('ok', 'Succeeded') : state('bad', 'Rejected');

/** Action names without the prefix of Management API routes: `POST /users`. */
const nameOf = ({ key }: AuditLogEntry): string => key.replace(/^Management\./, '');

const RESULTS = [
  ['', 'Any'],
  ['Success', 'Succeeded'],
  ['Error', 'Rejected'],
] as const;

/** Names in the entries. An administrator who is a user of another tenant has no name here. */
const namesInEntries = (request: ConsoleRequest, entries: AuditLogEntry[]): Promise<Names> =>
  namesOf(request, {
    users: entries.flatMap(({ payload: { userId = null, actorId = null } }) => [userId, actorId]),
    applications: entries.map(({ payload: { applicationId = null } }) => applicationId),
  });

const userCell = (request: ConsoleRequest, names: Names, id: string | undefined) => id && userLink(request, names, id);
const applicationCell = (request: ConsoleRequest, names: Names, id: string | undefined) =>
  id && applicationLink(request, names, id);

async function showEntries(request: ConsoleRequest): Promise<Page> {
  const fields = FILTERS.map(([name, label]) => ({ name, label, value: request.query.get(name)?.trim() ?? '' }));
  const [result] = RESULTS.find(([value]) => value === request.query.get('result')) ?? RESULTS[0];
  const applied = [...fields, { name: 'result', value: result }].filter(({ value }) => value !== '');
  const query = Object.fromEntries(applied.map(({ name, value }) => [name, value]));
  const { value: entries, total } = await request.perform('GET /logs', {
    query: { ...query, ...pageQuery(request) },
  });
  const names = await namesInEntries(request, entries);
  const inputs = fields.map(
    ({ name, label, value }) =>
      html`<label>${label}<input type="${name === 'logKey' ? 'search' : 'text'}" name="${name}" value="${value}"${name !== 'logKey' && html` placeholder="ID"`} autocomplete="off" spellcheck="false" maxlength="128"></label>`,
  );
  return {
    title: 'Audit log',
    lead: 'Who did what, to which user, and when.',
    content: html`${filters(request.to('/settings/audit'), [...inputs, choice('result', 'Result', RESULTS, result)], applied.length > 0)}
<div id="entries" data-live>
${table({
  caption: 'Audit log entries, newest first',
  rows: entries,
  empty:
    applied.length > 0
      ? 'No entries match these filters.'
      : 'No entries yet. Every change and every token request adds an entry.',
  columns: [
    {
      label: 'Action',
      cell: (entry) => html`<a href="${request.to(`/settings/audit/${entry.id}`)}">${nameOf(entry)}</a>`,
    },
    { label: 'Result', cell: resultOf },
    {
      label: 'Actor',
      cell: ({ payload: { actorId, applicationId } }) =>
        userCell(request, names, actorId) || applicationCell(request, names, applicationId),
    },
    { label: 'User', cell: ({ payload }) => userCell(request, names, payload.userId) },
    { label: 'Time', cell: ({ createdAt }) => when(createdAt, request.now) },
  ],
})}
${pager(request, total)}
</div>`,
    live: ['auditLog'],
  };
}

async function showEntry(request: ConsoleRequest<{ id: string }>): Promise<Page> {
  const { value: entry } = await request.perform('GET /logs/:id');
  const { applicationId, userId, actorId, ip, userAgent, requestId } = entry.payload;
  const names = await namesInEntries(request, [entry]);
  return {
    title: nameOf(entry),
    back: { path: '/settings/audit', label: 'Audit log' },
    content: html`${facts([
      ['Result', resultOf(entry)],
      ['Time', when(entry.createdAt, request.now)],
      ['Application', applicationCell(request, names, applicationId)],
      ['Actor', userCell(request, names, actorId)],
      ['User', userCell(request, names, userId)],
      ['IP address', ip],
      ['User agent', userAgent],
      ['Request ID', requestId && copyable(requestId)],
    ])}
${rawJson(entry)}`,
  };
}

export const auditLog = [page('/settings/audit', showEntries), page('/settings/audit/:id', showEntry)];
