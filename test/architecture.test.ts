import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * The imports that each folder of `src/` (or file in it) is allowed besides its own: `base`, folders, or single files
 * of them.
 */
const ARROWS: Record<string, string> = {
  base: '',
  observe: 'base',
  pages: '',
  'database net': 'base observe',
  tenants: 'base database',
  'audit events': 'base tenants database',
  jobs: 'base tenants database observe',
  http: 'base tenants database observe events audit',
  'custom-claims': 'base tenants database net observe sandbox/protocol',
  webhooks: 'base tenants database net observe events/catalogue',
  oidc: 'base tenants database observe events audit http/authenticate http/context http/rate-limits custom-claims',
  management:
    'base tenants database events/catalogue events/sample http/operation oidc custom-claims webhooks sign-in/settings sign-in/connectors',
  admin: 'base tenants database http/operation management/fields oidc setup/create-tenant',
  'sign-in':
    'base tenants database net observe events audit pages http/context http/control-characters http/cookies http/validate oidc/provider oidc/account-client oidc/end-access',
  console:
    'base tenants database events/catalogue events/sample audit http pages management/overview management/last-administrator oidc/console-client',
  setup: 'base tenants database oidc custom-claims console/administrators',
  sandbox: '',
};

/** These may import everything. In `src/`, only they may import one another. */
const TOP = [
  'service',
  'service-apis',
  'service-calls',
  'service-http',
  'service-jobs',
  'service-metrics',
  'service-tracing',
  'main',
];

/** Modules that import nothing of ours and may be imported everywhere. */
const BASE = [
  'address',
  'authentication-context',
  'closing',
  'email-and-phone',
  'entities',
  'errors',
  'example',
  'project',
  'ids',
  'clock',
  'config',
  'environment',
  'password-digests',
  'secret-box',
  'tracing-config',
];

/** Names that `src/` and `sandbox/` may use in a few places only. */
const DOORS = [
  {
    what: 'knex',
    pattern: /from 'knex'/,
    only: [
      'src/database/',
      'src/tenants.ts',
      'src/jobs/',
      'src/webhooks/deliveries.ts',
      'src/setup/create-tenant.ts',
      'src/admin/',
    ],
  },
  {
    what: 'all tenants at once',
    pattern: /\bacrossTenants\b/,
    only: ['src/database/tenant-store.ts', 'src/tenants.ts', 'src/admin/'],
  },
  {
    what: 'process.env',
    pattern: /\bprocess\.env\b/,
    // The second is sample code for users to copy; it is not executed here.
    only: ['src/config.ts', 'src/console/places/webhooks/receivers.ts'],
  },
  { what: 'isolated-vm', pattern: /(?:from|import\() ?'isolated-vm'/, only: ['sandbox/isolate.mjs'] },
];

/** Their tools need a default export. */
const DEFAULT_EXPORTS = ['knexfile.ts', 'vitest.config.ts'];
const MOST_LINES = 250;

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

/** Returns the row of the table that applies to a module. */
const rowOf = (name: string) => (BASE.includes(name) ? 'base' : name.split('/')[0]);

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
    (target) => name === target || name.startsWith(`${target}/`) || (target === 'base' && BASE.includes(name)),
  );

describe('the import rules', () => {
  it.each(house.filter((file) => !TOP.includes(nameOf(file))))('let %s import what it imports', (file) => {
    const row = rowOf(nameOf(file));
    const targets = allowed.get(row);
    if (!targets) throw new Error(`ARROWS has no row for ${row}`);
    expect(importsOf(file).filter((name) => rowOf(name) !== row && !permits(targets, name))).toEqual([]);
  });

  it.skipIf(!existsSync(join(root, 'ARCHITECTURE.md')))('are the ones ARCHITECTURE.md shows', () => {
    const names = (cell = '') => [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name).join(' ');
    const shown = [...read('ARCHITECTURE.md').matchAll(/^\| (.+?) \| (.*?) \|$/gm)].map(([, from, to]) => [
      names(from),
      names(to),
    ]);
    expect(shown).toEqual(expect.arrayContaining(Object.entries(ARROWS)));
  });
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
