import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, buttonLink, choice } from '../../parts/form-parts.ts';
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
import { action, type ConsoleRequest, type Page, page, type RefusedForm, type Route } from '../../route.ts';
import { changesOf } from './diff.ts';
import { kindPath, type TokenKind, tabPage } from './kinds.ts';
import {
  authorNames,
  authorOf,
  readVersion,
  readVersions,
  SCRIPT,
  scriptOf,
  type Version,
  type VersionLine,
} from './script-api.ts';

/** Number of versions offered for comparison. */
const VERSIONS_OFFERED = 50;

const activeState = ({ active }: VersionLine): Html => (active ? state('ok', 'Active') : state('off', 'Inactive'));

type AtVersion = ConsoleRequest<{ version: string }>;

async function showVersions(request: ConsoleRequest, kind: TokenKind): Promise<Page> {
  const versions = await readVersions(request, kind);
  const first = (Number(pageQuery(request).page) - 1) * PAGE_SIZE;
  const rows = versions.slice(first, first + PAGE_SIZE);
  const names = await authorNames(request, rows);
  return tabPage(request, kind, '/versions', {
    content: html`<div id="versions" data-live>${table({
      caption: 'Script versions, newest first',
      rows,
      empty: html`<p>No versions yet. Every activated script is kept as a version.</p>${buttonLink(request, kindPath(kind), 'Write script', 'primary')}`,
      columns: [
        {
          label: 'Version',
          cell: ({ number }) =>
            html`<a href="${request.to(`${kindPath(kind)}/versions/${number}`)}">Version ${number}</a>`,
        },
        { label: 'Status', cell: activeState },
        { label: 'Author', cell: (version) => authorOf(request, names, version) },
        { label: 'SHA-256', cell: ({ sha256 }) => html`<code class="mono">${sha256.slice(0, 12)}</code>` },
        { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
      ],
    })}${pager(request, versions.length)}</div>`,
    live: ['scriptVersions', 'activeScripts'],
  });
}

/** Label of the activate button: rolling back is activating an older version. */
const activateLabel = ({ number }: VersionLine, inUse: VersionLine | undefined): string =>
  `${inUse && number < inUse.number ? 'Roll back to' : 'Activate'} version ${number}`;

/** Returns the version to compare with: the requested one, the active one, or the previous one. */
function comparedVersion(
  request: ConsoleRequest,
  version: Version,
  versions: readonly VersionLine[],
): VersionLine | undefined {
  const requested = versions.find(({ number }) => String(number) === request.query.get('against'));
  const fallback = version.active
    ? versions.find(({ number }) => number < version.number)
    : versions.find(({ active }) => active);
  return requested ?? fallback;
}

function compareForm(
  request: ConsoleRequest,
  version: Version,
  versions: readonly VersionLine[],
  other: number | undefined,
): Html | false {
  const others = versions.filter(({ number }) => number !== version.number).slice(0, VERSIONS_OFFERED);
  if (others.length === 0) return false;
  const options = others.map(
    ({ number, active }) => [String(number), `Version ${number}${active ? ' (active)' : ''}`] as const,
  );
  return html`<form class="filters" method="get" action="${request.to(request.path)}">${choice('against', 'Compare with', options, String(other))}<button class="button">Compare</button></form>`;
}

const withoutValues = ({ value, ...version }: Version) => {
  const { environmentVariables, ...rest } = value;
  return { ...version, value: { ...rest, environmentVariables: Object.keys(environmentVariables ?? {}) } };
};

async function showVersion(request: AtVersion, kind: TokenKind, refused?: RefusedForm): Promise<Page> {
  const [version, versions] = await Promise.all([
    readVersion(request, kind, request.params.version),
    readVersions(request, kind),
  ]);
  const inUse = versions.find(({ active }) => active);
  const line = comparedVersion(request, version, versions);
  const other = line && (await readVersion(request, kind, line.number));
  const path = `${kindPath(kind)}/versions/${version.number}`;
  const { value } = version;
  const { general } = faultsOf(refused);
  const comparison = compareForm(request, version, versions, other?.number);
  const [before, after] =
    other && other.number > version.number && version.active ? [version, other] : [other, version];
  return {
    title: `Version ${version.number}`,
    lead: kind.name,
    back: { path: `${kindPath(kind)}/versions`, label: 'Versions' },
    actions: html`${!version.active && buttonForm(request, `${path}/activate`, activateLabel(version, inUse), { kind: 'primary' })}<a class="button" href="${request.to(`${kindPath(kind)}?from=${version.number}`)}">Edit a copy</a>`,
    content: html`${general && note('bad', general)}${facts([
      ['Status', activeState(version)],
      ['Author', authorOf(request, await authorNames(request, [version]), version)],
      ['Created', when(version.createdAt, request.now)],
      [
        'If the script fails',
        value.blockIssuanceOnError ? 'The token is not issued' : 'The token is issued without custom claims',
      ],
      ['Input of each run', value.recordInputs ? 'Recorded' : 'Not recorded'],
      ['Environment variables', Object.keys(value.environmentVariables ?? {}).join(', ')],
      ['SHA-256', copyable(version.sha256)],
    ])}
${section('Changes', html`<div class="changes">${comparison}${changesOf(before?.value, after.value)}</div>`, {
  lead: before ? `From version ${before.number} to version ${after.number}.` : 'There is no previous version.',
})}
${section('Script', html`<pre class="mono" tabindex="0" role="region" aria-label="Script">${value.script}</pre>`)}
${rawJson(withoutValues(version))}`,
  };
}

async function activate(request: AtVersion, kind: TokenKind) {
  const inUse = (await readVersions(request, kind)).find(({ active }) => active);
  const { version } = request.params;
  await request.perform(`POST ${SCRIPT}/versions/:version/activate`, { params: { ...scriptOf(kind), version } });
  const path = kindPath(kind);
  const undo = { path: inUse ? `${path}/versions/${inUse.number}/activate` : `${path}/off` };
  return { to: `${path}/versions/${version}`, flash: { text: `Version ${version} is active.`, undo } };
}

export function versionRoutes(kind: TokenKind): Route[] {
  const path = `${kindPath(kind)}/versions`;
  const show = (request: AtVersion, refused?: RefusedForm) => showVersion(request, kind, refused);
  return [
    page(path, (request) => showVersions(request, kind)),
    page(`${path}/:version`, show),
    action(
      `${path}/:version/activate`,
      show,
      (request) => activate(request, kind),
      `POST ${SCRIPT}/versions/:version/activate`,
    ),
  ];
}
