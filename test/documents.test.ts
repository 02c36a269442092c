import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESERVED_CLAIMS } from '../src/custom-claims/reserved-claims.ts';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/*.md', 'examples/**/*.md', 'sandbox/*.md'], {
  cwd: root,
  exclude: ['**/node_modules'],
});

const MAX_IMAGE_BYTES = 80 * 1024;
const MAX_IMAGES_BYTES = 600 * 1024;

/** Fenced blocks are code: a `#` in them is no heading, and brackets in them are no link. */
const proseOf = (file: string) => read(file).replace(/^```.*?^```$/gms, '');

/** Returns the anchors that GitHub derives from headings. */
const anchorsOf = (file: string) =>
  [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const linksOf = (file: string) =>
  [...proseOf(file).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, link = '']) => link);

/** Returns the paths, relative to the root, of the images that a document shows. */
const imagesOf = (file: string) =>
  [...proseOf(file).matchAll(/\b(?:src|srcset)="((?!https?:)[^"]+)"/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );

describe.each(documents)('%s', (file) => {
  it('has no dead links', () => {
    const dead = linksOf(file).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path ? join(dirname(file), path) : file;
      if (globSync(target, { cwd: root }).length === 0) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('shows images that exist, each in light and dark, with a description', () => {
    const images = imagesOf(file);
    expect(images.filter((image) => globSync(image, { cwd: root }).length === 0)).toEqual([]);
    const light = images.filter((image) => image.endsWith('-light.webp'));
    expect(light.map((image) => image.replace('-light', '-dark')).filter((image) => !images.includes(image))).toEqual(
      [],
    );
    expect(proseOf(file).match(/<img (?![^>]*\balt="[^"]{10,}")/g)).toBeNull();
  });
});

/** Returns the paths of this repository that a document names in code spans. `<page>` and `NNN` are placeholders. */
const pathsIn = (file: string) =>
  [...proseOf(file).matchAll(/`((?:src|test|scripts|docs|sandbox|examples)\/[\w./*-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('NNN'));

describe.each(documents)('%s', (file) => {
  it('names only existing files', () => {
    expect(pathsIn(file).filter((path) => globSync([path, `${path}.*`], { cwd: root }).length === 0)).toEqual([]);
  });
});

describe('the documents', () => {
  it('are all linked from the README', () => {
    const targets = linksOf('README.md').map((link) => relative('.', link.split('#')[0] ?? ''));
    const orphans = documents.filter((file) => file !== 'README.md' && !targets.includes(file));
    expect(orphans).toEqual([]);
  });

  it('have images that are small and in use', () => {
    const images = globSync('docs/images/*', { cwd: root });
    const sizes = images.map((image) => statSync(join(root, image)).size);
    expect(images.filter((_, index) => (sizes[index] ?? 0) > MAX_IMAGE_BYTES)).toEqual([]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_IMAGES_BYTES);
    const shown = documents.flatMap(imagesOf);
    expect(images.filter((image) => !shown.includes(image))).toEqual([]);
  });
});

it('docs/impersonation.md quotes only error descriptions that exist', () => {
  const sources = globSync(['src/{tokens,oidc}/**/*.ts', 'node_modules/oidc-provider/lib/helpers/errors.js'], {
    cwd: root,
  });
  const code = sources
    .map(read)
    .join('\n')
    .replace(/\$\{who\}/g, 'subject');
  const [table = ''] = /^\| `error` \|.*?\n\n/ms.exec(read('docs/impersonation.md')) ?? [];
  const quoted = table
    .split('\n')
    .slice(1)
    .flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  const fragments = quoted.flatMap((text) => text.split('…')).map((text) => text.trim().replace(/^is (?=not )/, ''));
  expect(fragments.length).toBeGreaterThan(25);
  expect(fragments.filter((fragment) => !code.includes(fragment))).toEqual([]);
});

it('docs/configuration.md has every variable that the service reads', () => {
  const sources = ['src/config/index.ts', 'src/config/reader.ts'].map(read).join('\n');
  const names = [...sources.matchAll(/'([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|PORT|HOST|ENDPOINT|DEMO)'/g)];
  const text = read('docs/configuration.md');
  const missing = new Set(names.map(([, name = '']) => name).filter((name) => !text.includes(`\`${name}\``)));
  expect(names.length).toBeGreaterThan(40);
  expect([...missing]).toEqual([]);
});

it('docs/glossary.md defines each term once', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^\| ([^|]+) \| [^|]+ \|/gm)].map(([, term = '']) => term);
  const names = terms.filter((term) => !['Term', '---'].includes(term)).map((term) => term.toLowerCase());
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('docs/claims.md lists every reserved claim', () => {
  const words = new Set(read('docs/claims.md').match(/\w+/g));
  expect([...RESERVED_CLAIMS].filter((claim) => !words.has(claim))).toEqual([]);
});

/** Differences from Logto: required by a standard, made for safety, or additions. The migration guide must name each. */
const DIFFERENCES = {
  standard: [
    '400 `invalid_request` | RFC 8693 §2.2.2',
    '401 `invalid_client`',
    '400 `unauthorized_client`',
    '`actor_token` empty',
    '`requested_token_type`',
  ],
  safer: [
    'Unknown properties',
    'SHA-256',
    'at most 16 KiB',
    '`user.suspended`',
    'Access, ID and refresh tokens',
    'Order of an exchange',
    '400 `invalid_target`',
    'Actor and subject the same',
    '`error_description`',
    '`act` and `organization_id` are reserved',
    '`"blockIssuanceOnError": false`',
    '422 `jwt_customizer.general` with line and column',
    'Roles with `scopeIds`',
    'Webhook URLs',
    '`overlapHours`',
    '`request.rate_limited`',
    '`RateLimit-*`',
    '503 `temporarily_unavailable`',
    '/api/configs/oidc/private-keys',
  ],
  more: [
    '`clientId`, `actorId`, `resource` at `POST /api/subject-tokens`',
    'GET /api/subject-tokens',
    'GET /api/impersonations',
    'POST …/:id/revoke',
    'GET /oidc/revoked-tokens',
    '/api/configs/impersonation',
    '/api/configs/jwt-customizer/types',
    '/versions`',
    '/activate',
    '/runs',
    '`recordInputs`',
    '/api/configs/sandbox',
    '/deliveries',
    '/redeliver',
    '/replay`',
    '/replays/:replayId',
    '`webhookSecret`',
    '`webhook-id`, `webhook-timestamp`, `webhook-signature`',
    '`disabledReason`',
    '/api/connectors',
    '/admin/api/tenants',
    'Versioning',
  ],
};

it.each(Object.entries(DIFFERENCES))('docs/migrate-from-logto.md names every difference: %s', (_, words) => {
  const guide = read('docs/migrate-from-logto.md');
  expect(words.filter((word) => !guide.includes(word))).toEqual([]);
});
