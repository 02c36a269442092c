import { scriptResults } from '../../../entities.ts';
import { type Html, html } from '../../../pages/html.ts';
import { choice, filters, TIME_RANGES } from '../../parts/form-parts.ts';
import { searchNote } from '../../parts/list-filters.ts';
import { type Names, namesOf, userLink } from '../../parts/names.ts';
import { copyable, facts, note, pageQuery, pager, rawJson, section, table, when } from '../../parts/parts.ts';
import { pickFilter } from '../../parts/picker.ts';
import { type ConsoleRequest, type Page, page, type Route } from '../../route.ts';
import { kindPath, type TokenKind, tabPage } from './kinds.ts';
import { consoleLines, droppedNote, durationOf } from './outcome.ts';
import { resultName, resultState, SCRIPT, scriptOf } from './script-api.ts';

/** Returns the filters in the URL. Invalid values are ignored. */
function filtersIn({ query, now }: ConsoleRequest) {
  const result = scriptResults.find((each) => each === query.get('result')) ?? '';
  const version = /^[1-9]\d{0,8}$/.exec(query.get('version') ?? '')?.[0] ?? '';
  const [time, , span] = TIME_RANGES.find(([value]) => value === query.get('time')) ?? TIME_RANGES[0];
  const userId = query.get('userId')?.trim() ?? '';
  const text = query.get('q')?.trim() ?? '';
  const applied = {
    ...(result && { result }),
    ...(version && { version }),
    ...(span !== undefined && { since: String(now - span) }),
    ...(userId && { userId }),
    ...(text && { q: text }),
  };
  return { result, version, time, userId, text, applied };
}

function filtersOf(
  request: ConsoleRequest,
  kind: TokenKind,
  { result, version, time, userId, text, applied }: ReturnType<typeof filtersIn>,
  { users }: Names,
): Html {
  const results = [['', 'Any'] as const, ...scriptResults.map((each) => [each, resultName(each)] as const)];
  const inputs = html`${choice('result', 'Result', results, result)}<label>Version<input name="version" inputmode="numeric" value="${version}" autocomplete="off" maxlength="9"></label>${pickFilter({ name: 'userId', label: 'User', type: 'user', value: userId, chosen: users.get(userId) })}<label>Text<input type="search" name="q" value="${text}" autocomplete="off" spellcheck="false" maxlength="128"></label>${choice('time', 'Time range', TIME_RANGES, time)}`;
  return filters(request.to(`${kindPath(kind)}/runs`), inputs, Object.keys(applied).length > 0);
}

async function showRuns(request: ConsoleRequest, kind: TokenKind): Promise<Page> {
  const chosen = filtersIn(request);
  const query = { ...chosen.applied, ...pageQuery(request) };
  const { value: runs, total } = await request.perform(`GET ${SCRIPT}/runs`, { params: scriptOf(kind), query });
  const users = [...runs.map(({ userId }) => userId), chosen.userId || null];
  const names = await namesOf(request, { users, applications: [] });
  const isNarrowed = Object.keys(chosen.applied).length > 0;
  return tabPage(request, kind, '/runs', {
    content: html`${filtersOf(request, kind, chosen, names)}
<div id="runs" data-live>${table({
      caption: 'Script runs, newest first',
      rows: runs,
      empty: isNarrowed
        ? 'No runs match these filters.'
        : 'No runs yet. Every token that is issued with the script adds a run.',
      columns: [
        {
          label: 'Result',
          cell: ({ id, result }) =>
            html`<a href="${request.to(`${kindPath(kind)}/runs/${id}`)}">${resultState(result)}</a>`,
        },
        { label: 'Version', cell: ({ version }) => html`Version ${version}` },
        { label: 'User', cell: ({ userId }) => userId && userLink(request, names, userId) },
        { label: 'Duration', cell: ({ wallMs }) => `${wallMs.toLocaleString('en')} ms`, isNumber: true },
        {
          label: 'Message',
          cell: ({ message, droppedClaims }) =>
            message ?? (droppedClaims.length > 0 ? `Ignored: ${droppedClaims.join(', ')}` : ''),
        },
        { label: 'Time', cell: ({ createdAt }) => when(createdAt, request.now) },
      ],
    })}${(chosen.text || chosen.userId) && searchNote}${pager(request, total)}</div>`,
    live: ['scriptRuns'],
  });
}

async function showRun(request: ConsoleRequest<{ runId: string }>, kind: TokenKind): Promise<Page> {
  const params = { ...scriptOf(kind), ...request.params };
  const { value: run } = await request.perform(`GET ${SCRIPT}/runs/:runId`, { params });
  const names = await namesOf(request, { users: [run.userId], applications: [] });
  const path = kindPath(kind);
  const tryIt = html`<a class="button primary" href="${request.to(`${path}?run=${run.id}`)}">Test with this input</a>`;
  return {
    title: 'Script run',
    lead: kind.name,
    back: { path: `${path}/runs`, label: 'Runs' },
    actions: run.inputRecorded ? tryIt : undefined,
    content: html`${facts([
      ['Result', resultState(run.result)],
      ['Version', html`<a href="${request.to(`${path}/versions/${run.version}`)}">Version ${run.version}</a>`],
      ['Time', when(run.createdAt, request.now)],
      ['Duration', durationOf(run)],
      ['User', run.userId && userLink(request, names, run.userId)],
      ['Token ID (jti)', run.jti && copyable(run.jti)],
      ['Input', run.inputRecorded ? 'Recorded (encrypted)' : 'Not recorded'],
    ])}
${run.message !== null && note(run.result === 'denied' ? 'warn' : 'bad', run.message)}
${droppedNote(run.droppedClaims)}
${section('Console output', consoleLines(run.console))}
${rawJson(run)}`,
  };
}

export function runRoutes(kind: TokenKind): Route[] {
  const path = `${kindPath(kind)}/runs`;
  return [
    page(path, (request) => showRuns(request, kind)),
    page(`${path}/:runId`, (request) => showRun(request, kind)),
  ];
}
