import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { exportLink } from '../../export/export-link.ts';
import { choice, filters } from '../../parts/form-parts.ts';
import { type ListFilters, listFilters, textNote } from '../../parts/list-filters.ts';
import { applicationLink, type Names, namesOf, userLink } from '../../parts/names.ts';
import {
  type Column,
  copyable,
  facts,
  orderQuery,
  pageQuery,
  pager,
  rawJson,
  state,
  table,
  timeOrder,
  when,
  withQuery,
} from '../../parts/parts.ts';
import { type ConsoleRequest, type Page, page } from '../../route.ts';
import { keysOf, knownSentences, routeOf, sentenceOf } from './audit-actions.ts';

export type AuditLogEntry = Result<'GET /logs/:id'>;

const PICKED = [
  ['actorId', 'Actor', 'user'],
  ['userId', 'User', 'user'],
  ['applicationId', 'Application', 'application'],
] as const;

const isSuccess = ({ payload: { result } }: AuditLogEntry): boolean => result === 'Success';
const resultOf = (entry: AuditLogEntry) => (isSuccess(entry) ? state('ok', 'Succeeded') : state('bad', 'Rejected'));

const RESULTS = [
  ['', 'Any'],
  ['Success', 'Succeeded'],
  ['Error', 'Rejected'],
] as const;

/** Entries whose `actorId` is the user who was stopped. */
const ENDS = ['Impersonation.End', 'Management.POST /impersonations/:id/revoke'];

/** The user who did it: an administrator, or the user who acted. Undefined if an application did. */
function doerId({ key, payload: { actorId, details } }: AuditLogEntry): string | undefined {
  if (typeof details.administratorId === 'string') return details.administratorId;
  return ENDS.includes(key) ? undefined : actorId;
}

const stoppedId = ({ key, payload: { actorId } }: AuditLogEntry): string | undefined =>
  ENDS.includes(key) ? actorId : undefined;

/** Names in the entries. An administrator who is a user of another tenant has no name here. */
export const idsIn = (entries: readonly AuditLogEntry[]) => ({
  users: entries.flatMap((entry) => [
    entry.payload.userId ?? null,
    entry.payload.actorId ?? null,
    doerId(entry) ?? null,
  ]),
  applications: entries.map(({ payload: { applicationId = null } }) => applicationId),
});

/** The entry as a sentence: "Created user Ada". */
export function titleOf(entry: AuditLogEntry, { users }: Names): string {
  const { key, payload } = entry;
  const nameOf = (id: string | undefined) => (id === undefined ? undefined : users.get(id));
  return sentenceOf({
    key,
    isSuccess: isSuccess(entry),
    user: nameOf(payload.userId),
    stopped: nameOf(stoppedId(entry)),
    details: payload.details,
  });
}

const userCell = (request: ConsoleRequest, names: Names, id: string | undefined) => id && userLink(request, names, id);

function applicationCell(request: ConsoleRequest, names: Names, id: string | undefined): Html | string | undefined {
  return id === 'policy' ? 'Impersonation policy' : id && applicationLink(request, names, id);
}

/** Columns of an entry: its action, result and actor. */
export const entryColumns = (request: ConsoleRequest, names: Names): Column<AuditLogEntry>[] => [
  {
    label: 'Action',
    cell: (entry) =>
      html`<a href="${request.to(withQuery(`/settings/audit/${entry.id}`, request))}">${titleOf(entry, names)}</a>`,
  },
  { label: 'Result', cell: resultOf },
  {
    label: 'Actor',
    cell: (entry) =>
      userCell(request, names, doerId(entry)) || applicationCell(request, names, entry.payload.applicationId),
  },
];

/** The query of the Management API for the filters in the URL. */
export function auditQuery(request: ConsoleRequest) {
  const chosen = listFilters(request, PICKED);
  const action = request.query.get('logKey')?.trim() ?? '';
  const [result] = RESULTS.find(([value]) => value === request.query.get('result')) ?? RESULTS[0];
  const query = {
    ...chosen.query,
    ...orderQuery(request),
    ...(action && { logKey: keysOf(action) }),
    ...(result && { result }),
  };
  return { chosen, action, result, query };
}

function filterForm(request: ConsoleRequest, chosen: ListFilters, names: Names): Html {
  const { action, result } = auditQuery(request);
  const inputs = [
    html`<label>Action<input type="search" name="logKey" value="${action}" list="actions" placeholder="Created user" autocomplete="off" spellcheck="false" maxlength="128"></label><datalist id="actions">${knownSentences.map((sentence) => html`<option value="${sentence}">`)}</datalist>`,
    ...chosen.picked(names),
    chosen.text,
    choice('result', 'Result', RESULTS, result),
    chosen.time,
  ];
  return filters(request.to('/settings/audit'), inputs, chosen.isNarrowed || action !== '' || result !== '');
}

async function showEntries(request: ConsoleRequest): Promise<Page> {
  const { chosen, query, action, result } = auditQuery(request);
  const { value: entries, total } = await request.perform('GET /logs', { query: { ...query, ...pageQuery(request) } });
  const names = await namesOf(request, idsIn(entries), chosen.ids);
  const isNarrowed = chosen.isNarrowed || action !== '' || result !== '';
  return {
    title: 'Audit log',
    lead: 'Who did what, to which user, and when.',
    actions: exportLink(request, 'audit-log', total),
    content: html`${filterForm(request, chosen, names)}
<div id="entries" data-live>
${table({
  caption: 'Audit log entries',
  rows: entries,
  empty: isNarrowed
    ? 'No entries match these filters.'
    : 'No entries yet. Every change and every token request adds an entry.',
  columns: [
    ...entryColumns(request, names),
    { label: 'User', cell: ({ payload }) => userCell(request, names, payload.userId) },
    { label: 'Time', head: timeOrder(request, 'Time'), cell: ({ createdAt }) => when(createdAt, request.now) },
  ],
})}
${textNote(chosen)}
${pager(request, total)}
</div>`,
    live: ['auditLog'],
  };
}

async function showEntry(request: ConsoleRequest<{ id: string }>): Promise<Page> {
  const { value: entry } = await request.perform('GET /logs/:id');
  const { applicationId, userId, ip, userAgent, requestId } = entry.payload;
  const names = await namesOf(request, idsIn([entry]));
  const stopped = stoppedId(entry);
  return {
    title: titleOf(entry, names),
    back: { path: withQuery('/settings/audit', request), label: 'Audit log' },
    content: html`${facts([
      ['Result', resultOf(entry)],
      ['Time', when(entry.createdAt, request.now)],
      ['Action', html`<code class="mono">${routeOf(entry.key)}</code>`],
      ['Application', applicationCell(request, names, applicationId)],
      ['Actor', userCell(request, names, doerId(entry))],
      ...(stopped === undefined ? [] : [['Acted as the user', userCell(request, names, stopped)] as const]),
      ['User', userCell(request, names, userId)],
      ['IP address', ip],
      ['User agent', userAgent],
      ['Request ID', requestId && copyable(requestId)],
    ])}
${rawJson(entry)}`,
  };
}

export const auditLog = [page('/settings/audit', showEntries), page('/settings/audit/:id', showEntry)];
