import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** The imports that each folder of `src/` (or file at its top) may have outside itself: `base`, folders, or single files of them. */
const ARROWS: Record<string, string> = {
  base: '',
  observe: 'base',
  pages: '',
  'database net': 'base observe',
  tenants: 'base database',
  'audit events': 'base database',
  jobs: 'base database observe',
  http: 'base tenants database observe events audit',
  'script-runners': 'base net observe sandbox/protocol',
  'custom-claims': 'base database observe script-runners/sandbox',
  webhooks: 'base database net observe',
  tokens: 'base tenants database observe audit http/authenticate http/context http/rate-limits custom-claims',
  oidc: 'base tenants database observe audit http/context http/rate-limits custom-claims tokens',
  management:
    'base tenants database events http/operations/operation custom-claims tokens oidc/user-sessions webhooks sign-in/settings sign-in/proofs/connectors',
  admin: 'base tenants database http/operations/operation management/shared/fields tokens setup/create-tenant',
  'sign-in':
    'base tenants database net observe events audit pages http/context http/control-characters http/cookies http/operations/validate tokens/clients tokens/revocation oidc/provider',
  console:
    'base tenants database events audit http pages management/settings/overview management/shared/last-administrator tokens/clients/console-client',
  setup: 'base tenants database tokens custom-claims console/session/administrators',
  sandbox: '',
};

/** May import everything; nothing in `src/` imports them. */
const TOP = ['service', 'main'];

/** The ground floor: everything may import these, and they import only one another. */
const BASE = ['base', 'config', 'entities', 'errors'];

/** Names that `src/` and `sandbox/` may use in a few places only. */
const DOORS = [
  {
    what: 'knex',
    pattern: /from 'knex'/,
    only: ['src/database/', 'src/setup/create-tenant.ts', 'src/admin/'],
  },
  {
    what: 'all tenants at once',
    pattern: /\bacrossTenants\b/,
    only: ['src/database/store/tenant-store.ts', 'src/tenants.ts', 'src/admin/'],
  },
  {
    what: 'process.env',
    pattern: /\bprocess\.env\b/,
    only: ['src/config/index.ts', 'src/console/places/webhooks/receivers.ts'], // The second file is sample code to copy; it does not run here.
  },
  { what: 'isolated-vm', pattern: /(?:from|import\() ?'isolated-vm'/, only: ['sandbox/isolate.mjs'] },
];

/** Their tools need a default export. */
const DEFAULT_EXPORTS = ['knexfile.ts', 'vitest.config.ts'];
const MOST_LINES = 250;
const MOST_FILES_AT_THE_TOP = 10;
/** Files directly in one folder; migrations are a list by nature. */
const MOST_FILES_IN_A_FOLDER = 20;

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const filesOf = (folders: string) =>
  globSync(`${folders}/**/*.{ts,js,mjs,cjs}`, {
    cwd: root,
    exclude: ['**/node_modules', 'test/sandbox/corpus'],
  }).sort();

const house = filesOf('{src,sandbox}');
const everything = [...house, ...filesOf('{scripts,test,examples}'), 'knexfile.ts', 'vitest.config.ts'];

/** Returns `oidc/adapter` for `src/oidc/adapter.ts`. A path outside `src/` keeps its folder. */
const nameOf = (file: string) => file.replace(/^src\//, '').replace(/\.\w+$/, '');

/** The folder of `src/` (or file at its top) that a name belongs to. */
const roomOf = (name: string) => name.split('/')[0] ?? '';

/** The row of `ARROWS` for a name. */
const rowOf = (name: string) => (BASE.includes(roomOf(name)) ? 'base' : roomOf(name));

const importsOf = (file: string) =>
  [...read(file).matchAll(/\b(?:from|import)\b ?\(?'(\.[^']+)'/g)].map(([, path = '']) =>
    nameOf(join(dirname(file), path)),
  );

const rows = Object.entries(ARROWS).flatMap(([names, targets]) =>
  names.split(' ').map((name) => [name, targets.split(' ')] as const),
);
const allowed = new Map<string | undefined, string[]>(rows);

const permits = (targets: string[], name: string) =>
  targets.some(
    (target) => name === target || name.startsWith(`${target}/`) || (target === 'base' && rowOf(name) === 'base'),
  );

/** The imports of every module, including types. */
const graph = new Map(house.map((file) => [nameOf(file), importsOf(file)]));

/** The imports between folders of `src/`. */
const rooms = new Map(
  [...Map.groupBy(graph, ([name]) => roomOf(name))].map(([room, files]) => [
    room,
    [...new Set(files.flatMap(([, imports]) => imports.map(roomOf)))].filter((other) => other !== room),
  ]),
);

/** Returns every import circle as a path from a module back to itself. */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    if (way.includes(name)) {
      found.push([...way.slice(way.indexOf(name)), name].join(' → '));
      return;
    }
    if (done.has(name)) return;
    for (const next of imports.get(name) ?? []) visit(next, [...way, name]);
    done.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
  return found;
}

describe('the import rules', () => {
  it.each(house.filter((file) => !TOP.includes(roomOf(nameOf(file)))))('allow the imports of %s', (file) => {
    const row = rowOf(nameOf(file));
    const targets = allowed.get(row);
    if (!targets) throw new Error(`ARROWS has no row for ${row}`);
    expect(importsOf(file).filter((name) => rowOf(name) !== row && !permits(targets, name))).toEqual([]);
  });

  it('are those of ARCHITECTURE.md', () => {
    const names = (cell = '') => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name).join(' ');
    const shown = [...read('ARCHITECTURE.md').matchAll(/^\| (.+?) \| (.*?) \|$/gm)].map(([, from, to]) => [
      names(from),
      names(to),
    ]);
    expect(shown).toEqual(expect.arrayContaining(Object.entries(ARROWS)));
  });
});

it('has no import circle between files, type imports included', () => {
  expect(findCircles(graph)).toEqual([]);
});

it('has no import circle between folders', () => {
  expect(findCircles(rooms)).toEqual([]);
});

it(`has at most ${MOST_FILES_AT_THE_TOP} files at the top of src/`, () => {
  expect(globSync('src/*.*', { cwd: root }).length).toBeLessThanOrEqual(MOST_FILES_AT_THE_TOP);
});

it(`has at most ${MOST_FILES_IN_A_FOLDER} files in a folder`, () => {
  const folders = Map.groupBy(house, dirname);
  folders.delete('src/database/migrations');
  expect([...folders].filter(([, files]) => files.length > MOST_FILES_IN_A_FOLDER).map(([folder]) => folder)).toEqual(
    [],
  );
});

it('names only existing files in comments', () => {
  const tails = everything.map((file) => `/${file}`);
  const named = house.flatMap((file) =>
    [...read(file).matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs))`/g)].map(([, name = '']) => ({ file, name })),
  );
  expect(named.filter(({ name }) => !tails.some((tail) => tail.endsWith(`/${name}`)))).toEqual([]);
});

it.each(DOORS)('$what is used only in $only', ({ pattern, only }) => {
  const places = house.filter((file) => pattern.test(read(file)));
  expect(places.filter((file) => !only.some((door) => file.startsWith(door)))).toEqual([]);
});

it('uses named exports only', () => {
  const files = everything.filter((file) => /^export default\b/m.test(read(file)));
  expect(files.filter((file) => !DEFAULT_EXPORTS.includes(file))).toEqual([]);
});

it(`has no file with more than ${MOST_LINES} lines`, () => {
  expect(everything.filter((file) => read(file).trimEnd().split('\n').length > MOST_LINES)).toEqual([]);
});
