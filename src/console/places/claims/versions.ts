import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { choice } from '../../parts/filters.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import {
  copyable,
  facts,
  note,
  PAGE_SIZE,
  pageQuery,
  pager,
  rawJson,
  section,
  state,
  table,
  when,
} from '../../parts/parts.ts';
import { type Attempt, action, type Page, page, type Route, type Visit } from '../../route.ts';
import { changesOf } from './diff.ts';
import { type Kind, placeOf, tabPage } from './kinds.ts';
import { authorOf, readVersion, readVersions, routeOf, type Version, type VersionLine } from './stored.ts';

/** To choose what a version is compared with. */
const OFFERED = 50;

const activeState = ({ active }: VersionLine): Html => (active ? state('ok', 'In use') : state('off', 'Not in use'));

async function showVersions(visit: Visit, kind: Kind): Promise<Page> {
  const versions = await readVersions(visit, kind);
  const first = (Number(pageQuery(visit).page) - 1) * PAGE_SIZE;
  return tabPage(visit, kind, '/versions', {
    content: html`<div id="versions" data-live>${table({
      caption: 'Versions of the script, newest first',
      rows: versions.slice(first, first + PAGE_SIZE),
      empty: html`<p>Each script that was activated is kept here.</p><a class="button primary" href="${visit.to(placeOf(kind))}">Write a script</a>`,
      columns: [
        {
          label: 'Version',
          cell: ({ number }) =>
            html`<a href="${visit.to(`${placeOf(kind)}/versions/${number}`)}">Version ${number}</a>`,
        },
        { label: 'State', cell: activeState },
        { label: 'Author', cell: (version) => authorOf(visit, version) },
        { label: 'SHA-256', cell: ({ sha256 }) => html`<code class="mono">${sha256.slice(0, 12)}</code>` },
        { label: 'When', cell: ({ createdAt }) => when(createdAt, visit.now) },
      ],
    })}${pager(visit, versions.length)}</div>`,
    live: ['scriptVersions', 'activeScripts'],
  });
}

/** Forward or back: the same gesture, by the name that says which. */
const gestureOf = ({ number }: VersionLine, inUse: VersionLine | undefined): string =>
  inUse && number < inUse.number ? 'Roll back' : 'Activate';

/** What the version is held against: what was asked for, what is in use, or what came before it. */
function otherOf(visit: Visit, version: Version, versions: readonly VersionLine[]): VersionLine | undefined {
  const asked = versions.find(({ number }) => String(number) === visit.query.get('against'));
  const fallback = version.active
    ? versions.find(({ number }) => number < version.number)
    : versions.find(({ active }) => active);
  return asked ?? fallback;
}

function chooser(
  visit: Visit,
  version: Version,
  versions: readonly VersionLine[],
  other: number | undefined,
): Html | false {
  const others = versions.filter(({ number }) => number !== version.number).slice(0, OFFERED);
  if (others.length === 0) return false;
  const options = others.map(
    ({ number, active }) => [String(number), `Version ${number}${active ? ', in use' : ''}`] as const,
  );
  return html`<form class="filters" method="get" action="${visit.to(visit.path)}">${choice('against', 'Compared with', options, String(other))}<button class="button">Compare</button></form>`;
}

const withoutValues = ({ value, ...version }: Version) => {
  const { environmentVariables, ...rest } = value;
  return { ...version, value: { ...rest, environmentVariables: Object.keys(environmentVariables ?? {}) } };
};

async function showVersion(visit: Visit, kind: Kind, attempt?: Attempt): Promise<Page> {
  const [version, versions] = await Promise.all([
    readVersion(visit, kind, visit.params.version ?? ''),
    readVersions(visit, kind),
  ]);
  const inUse = versions.find(({ active }) => active);
  const line = otherOf(visit, version, versions);
  const other = line && (await readVersion(visit, kind, line.number));
  const path = `${placeOf(kind)}/versions/${version.number}`;
  const { value } = version;
  const { general } = faultsOf(attempt);
  const [before, after] =
    other && other.number > version.number && version.active ? [version, other] : [other, version];
  return {
    title: `Version ${version.number}`,
    lead: kind.name,
    back: { path: `${placeOf(kind)}/versions`, label: 'Versions' },
    actions: html`${!version.active && buttonForm(visit, `${path}/activate`, gestureOf(version, inUse), { kind: 'primary' })}<a class="button" href="${visit.to(`${placeOf(kind)}?from=${version.number}`)}">Edit from here</a>`,
    content: html`${general && note('bad', general)}${facts([
      ['State', activeState(version)],
      ['Author', authorOf(visit, version)],
      ['When', when(version.createdAt, visit.now)],
      ['A failing script', value.blockIssuanceOnError ? 'refuses the token' : 'leaves the token without its claims'],
      ['Inputs of runs', value.recordInputs ? 'are recorded' : 'are not recorded'],
      ['Environment variables', Object.keys(value.environmentVariables ?? {}).join(', ')],
      ['SHA-256', copyable(version.sha256)],
    ])}
${section(
  'Changes',
  html`<div class="changes">${chooser(visit, version, versions, other?.number)}${changesOf(before?.value, after.value)}</div>`,
  {
    lead: before ? `From version ${before.number} to version ${after.number}.` : 'There is no version before it.',
  },
)}
${section('Script', html`<pre class="mono" tabindex="0" role="region" aria-label="Script">${value.script}</pre>`)}
${rawJson(withoutValues(version))}`,
  };
}

async function activate(visit: Visit, kind: Kind) {
  const inUse = (await readVersions(visit, kind)).find(({ active }) => active);
  const [route, params] = routeOf(kind, 'POST', '/versions/:version/activate');
  const { version = '' } = visit.params;
  await visit.perform(route, { params: { ...params, version } });
  const path = placeOf(kind);
  const undo = { path: inUse ? `${path}/versions/${inUse.number}/activate` : `${path}/off` };
  return { to: `${path}/versions/${version}`, flash: { text: `Version ${version} is active.`, undo } };
}

export function versionRoutes(kind: Kind): Route[] {
  const path = `${placeOf(kind)}/versions`;
  const show = (visit: Visit, attempt?: Attempt) => showVersion(visit, kind, attempt);
  return [
    page(path, (visit) => showVersions(visit, kind)),
    page(`${path}/:version`, show),
    action(`${path}/:version/activate`, show, (visit) => activate(visit, kind)),
  ];
}
