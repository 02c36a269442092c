import { scriptResults } from '../../../entities.ts';
import { type Html, html } from '../../../pages/html.ts';
import { choice, filters } from '../../parts/filters.ts';
import { copyable, facts, note, pageQuery, pager, rawJson, section, table, when } from '../../parts/parts.ts';
import { type Page, page, type Route, type Visit } from '../../route.ts';
import { type Kind, placeOf, tabPage } from './kinds.ts';
import { consoleLines, droppedNote } from './outcome.ts';
import { type Run, resultState, routeOf } from './stored.ts';

const HOUR_MS = 3_600_000;
const TIMES = [
  ['', 'Any time', undefined],
  ['1h', 'The last hour', HOUR_MS],
  ['24h', 'The last 24 hours', 24 * HOUR_MS],
  ['7d', 'The last 7 days', 7 * 24 * HOUR_MS],
] as const;

/** What the address narrows the list to. What it cannot mean is left out. */
function narrowing({ query, now }: Visit) {
  const result = scriptResults.find((each) => each === query.get('result')) ?? '';
  const version = /^[1-9]\d{0,8}$/.exec(query.get('version') ?? '')?.[0] ?? '';
  const [time, , span] = TIMES.find(([value]) => value === query.get('time')) ?? TIMES[0];
  const asked = {
    ...(result && { result }),
    ...(version && { version }),
    ...(span !== undefined && { since: String(now - span) }),
  };
  return { result, version, time, asked };
}

function filtersOf(visit: Visit, kind: Kind, { result, version, time, asked }: ReturnType<typeof narrowing>): Html {
  const results = [['', 'Any'] as const, ...scriptResults.map((each) => [each, each] as const)];
  const inputs = html`${choice('result', 'Result', results, result)}<label>Version<input name="version" inputmode="numeric" value="${version}" autocomplete="off" maxlength="9"></label>${choice('time', 'Time', TIMES, time)}`;
  return filters(visit.to(`${placeOf(kind)}/runs`), inputs, Object.keys(asked).length > 0);
}

async function showRuns(visit: Visit, kind: Kind): Promise<Page> {
  const narrowed = narrowing(visit);
  const [route, params] = routeOf(kind, 'GET', '/runs');
  const query = { ...narrowed.asked, ...pageQuery(visit) };
  const { value: runs, total } = await visit.perform<Run[]>(route, { params, query });
  const isNarrowed = Object.keys(narrowed.asked).length > 0;
  return tabPage(visit, kind, '/runs', {
    content: html`${filtersOf(visit, kind, narrowed)}
<div id="runs" data-live>${table({
      caption: 'Runs of the script, newest first',
      rows: runs,
      empty: isNarrowed
        ? 'No run is like this.'
        : 'The script has not run yet. Every token that it is asked for leaves a run here.',
      columns: [
        {
          label: 'Result',
          cell: ({ id, result }) =>
            html`<a href="${visit.to(`${placeOf(kind)}/runs/${id}`)}">${resultState(result)}</a>`,
        },
        { label: 'Version', cell: ({ version }) => html`Version ${version}` },
        { label: 'For whom', cell: ({ userId }) => userId && html`<code class="mono">${userId}</code>` },
        { label: 'Time', cell: ({ wallMs }) => `${wallMs} ms`, isNumber: true },
        {
          label: 'Said',
          cell: ({ message, droppedClaims }) =>
            message ?? (droppedClaims.length > 0 ? `dropped ${droppedClaims.join(', ')}` : ''),
        },
        { label: 'When', cell: ({ createdAt }) => when(createdAt, visit.now) },
      ],
    })}${pager(visit, total)}</div>`,
    live: ['scriptRuns'],
  });
}

async function showRun(visit: Visit, kind: Kind): Promise<Page> {
  const [route, params] = routeOf(kind, 'GET', '/runs/:runId');
  const { value: run } = await visit.perform<Run>(route, { params: { ...params, ...visit.params } });
  const path = placeOf(kind);
  const tryIt = html`<a class="button primary" href="${visit.to(`${path}?run=${run.id}`)}">Try a script on its input</a>`;
  return {
    title: 'Run',
    lead: kind.name,
    back: { path: `${path}/runs`, label: 'Runs' },
    actions: run.inputRecorded ? tryIt : undefined,
    content: html`${facts([
      ['Result', resultState(run.result)],
      ['Version', html`<a href="${visit.to(`${path}/versions/${run.version}`)}">Version ${run.version}</a>`],
      ['When', when(run.createdAt, visit.now)],
      ['Time', `${run.wallMs} ms, of which ${run.cpuMs} ms at work`],
      ['For whom', run.userId && html`<a href="${visit.to(`/directory/users/${run.userId}`)}">${run.userId}</a>`],
      ['Token', run.jti && copyable(run.jti)],
      ['Input', run.inputRecorded ? 'recorded, encrypted' : 'not recorded'],
    ])}
${run.message !== null && note(run.result === 'denied' ? 'warn' : 'bad', run.message)}
${droppedNote(run.droppedClaims)}
${section('Console', consoleLines(run.console))}
${rawJson(run)}`,
  };
}

export function runRoutes(kind: Kind): Route[] {
  const path = `${placeOf(kind)}/runs`;
  return [page(path, (visit) => showRuns(visit, kind)), page(`${path}/:runId`, (visit) => showRun(visit, kind))];
}
