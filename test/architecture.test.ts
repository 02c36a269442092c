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
    'base tenants database events http/operations/operation custom-claims tokens oidc/user-sessions webhooks sign-in/settings sign-in/brand sign-in/proofs/connectors',
  admin: 'base tenants database audit http/operations/operation management/shared tokens',
  'sign-in':
    'base tenants database net observe events audit pages http/context http/control-characters http/cookies http/csrf http/operations/validate http/rate-limits tokens/clients tokens/revocation oidc/provider',
  console:
    'base tenants database events audit http pages management/index management/settings/overview admin/administrators admin/tenants sign-in/settings sign-in/preview tokens/clients/console-client tokens/exchange/impersonation-policy',
  reference: 'base tenants events http/context http/openapi http/operations/operation pages',
  setup: 'base tenants database tokens custom-claims admin/administrators admin/create-tenant',
  sandbox: '',
};

/** May import everything; nothing in `src/` imports them. */
const TOP = ['service', 'main'];

/** The ground floor: everything may import these, and they import only one another. */
const BASE = ['base', 'config', 'entities', 'errors'];

const QUICK_STARTS = 'src/console/places/directory/quick-starts/';
/** Sample code to copy; it does not run here. */
const SAMPLE_CODE = ['src/console/places/webhooks/receivers.ts', QUICK_STARTS, 'src/reference/samples.ts'];

/** Names that `src/` and `sandbox/` may use in a few places only. */
const DOORS = [
  {
    what: 'knex',
    pattern: /from 'knex'/,
    only: ['src/database/', 'src/admin/'],
  },
  {
    what: 'the private part of knex',
    pattern: /knex\/lib\/|\bclient\.(?:pool|config|\w+Connection)\b|\b__knex|\b_query\b/,
    only: ['src/database/drivers/knex-connections.ts'],
  },
  {
    what: 'all tenants at once',
    pattern: /\bacrossTenants\b/,
    only: ['src/database/store/', 'src/tenants.ts', 'src/admin/'],
  },
  {
    what: 'the store of any tenant',
    pattern: /\bnew TenantStore\(/,
    only: ['src/database/store/', 'src/tenants.ts', 'src/admin/create-tenant.ts', 'src/webhooks/'],
  },
  {
    // A store's query reads the tenant's rows; with these it would read a table itself.
    what: 'another table in a query',
    pattern: /(?<!\bstore\s*)(?<!\b[A-Z]\w*)\.(?:from|into|table)\('|\.\w*[jJ]oin\('\w+(?: as \w+)?'/,
    only: ['src/database/'],
  },
  {
    what: 'SQL by hand',
    pattern: /database\/statements\/(?:batched-read|prepared|statement)\.ts'/,
    only: [
      'src/custom-claims/find-user-context.ts',
      'src/http/rate-limits/statements.ts',
      'src/jobs/leader.ts',
      'src/management/find/find-users.ts',
      'src/tokens/exchange/find-actor-token.ts',
      'src/tokens/exchange/find-subject',
      'src/tokens/exchange/spend-subject-tokens.ts',
      'src/webhooks/deliveries/',
    ],
  },
  {
    what: 'process.env',
    pattern: /\bprocess\.env\b/,
    only: ['src/config/index.ts', ...SAMPLE_CODE],
  },
  { what: 'isolated-vm', pattern: /(?:from|import\() ?'isolated-vm'/, only: ['sandbox/isolate.mjs'] },
];

/** Files and folders outside `src/database/` that hold the database, and with it the rows of all tenants. */
const ALL_TENANTS = {
  'src/admin/create-tenant.ts': 'inserts a tenant',
  'src/audit/': 'writes entries of several tenants in one statement',
  'src/http/rate-limits/': 'shares counters of several tenants in one statement',
  'src/jobs/leader.ts': 'has a lease, which belongs to no tenant',
  'src/service/': 'opens it and passes it on',
  'src/setup/address.ts': 'reads the address of the default tenant before there are stores',
  'src/setup/first-start.ts': 'checks whether there is a tenant',
  'src/setup/secret-key.ts': 'has the fingerprint of the key, which belongs to no tenant',
  'src/tenants.ts': 'reads the tenants and opens their stores',
  'src/tokens/keys/scheduled-rotation.ts': 'finds the keys that are due',
  'src/webhooks/deliveries/': 'claims, settles and removes deliveries of all tenants',
  'src/webhooks/replay/replay-worker.ts': 'finds the replays that are running',
  'src/webhooks/sending/hook-headers.ts': 'encrypts headers of an earlier release at the start',
  'src/webhooks/sending/poller.ts': 'builds the parts that claim, send and settle deliveries',
};

/** Their tools need a default export; the third is sample code. */
const DEFAULT_EXPORTS = ['knexfile.ts', 'vitest.config.ts', `${QUICK_STARTS}next.ts`];
const MOST_LINES = 250;
const MOST_FILES_AT_THE_TOP = 10;
/** Files directly in one folder; migrations are a list by nature. */
const MOST_FILES_IN_A_FOLDER = 20;

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const filesOf = (folders: string) =>
  globSync(`${folders}/**/*.{ts,js,mjs,cjs}`, {
    cwd: root,
    exclude: ['**/node_modules', '**/*.min.js', 'test/sandbox/corpus'],
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

it.each([
  ['files, type imports included', graph],
  ['folders', rooms],
])('has no import circle between %s', (_, imports) => expect(findCircles(imports)).toEqual([]));

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

it('holds the database of all tenants only where it must', () => {
  const outside = house.filter((file) => !file.startsWith('src/database/'));
  const aliases = outside.flatMap((file) =>
    [...read(file).matchAll(/^export type (\w+) = .*\bDatabase\b/gm)].map(([, name]) => ({ name, from: nameOf(file) })),
  );
  const holders = outside.filter(
    (file) =>
      importsOf(file).some((name) => /^database\/(?:database|connect|open)$/.test(name)) ||
      aliases.some(({ name, from }) => importsOf(file).includes(from) && read(file).match(`\\b${name}\\b`)),
  );
  const doors = Object.keys(ALL_TENANTS);
  expect(holders.filter((file) => !doors.some((door) => file.startsWith(door)))).toEqual([]);
  expect(doors.filter((door) => !holders.some((file) => file.startsWith(door)))).toEqual([]);
});

it('uses named exports only', () => {
  const files = everything.filter((file) => /^export default\b/m.test(read(file)));
  expect(files.filter((file) => !DEFAULT_EXPORTS.includes(file))).toEqual([]);
});

it(`has no file with more than ${MOST_LINES} lines`, () => {
  expect(everything.filter((file) => read(file).trimEnd().split('\n').length > MOST_LINES)).toEqual([]);
});
