import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESERVED_CLAIMS } from '../src/custom-claims/reserved-claims.ts';

const root = dirname(import.meta.dirname);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const documents = globSync(['*.md', 'docs/*.md', 'examples/**/*.md', 'sandbox/*.md'], {
  cwd: root,
  exclude: ['**/node_modules'],
});

/** Anchors as GitHub derives them from headings. */
const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(documents)('the links of %s', (file) => {
  const links = [...read(file).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, link = '']) => link);

  it('lead to existing files and headings', () => {
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path ? join(dirname(file), path) : file;
      if (globSync(target, { cwd: root }).length === 0) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

it('documents every environment variable', () => {
  const names = [...read('src/config/index.ts').matchAll(/'([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|PORT|HOST|ENDPOINT|DEMO)'/g)];
  const page = read('docs/configuration.md');
  const missing = new Set(names.map(([, name = '']) => name).filter((name) => !page.includes(`\`${name}\``)));
  expect([...missing]).toEqual([]);
});

it('lists every reserved claim for authors of scripts', () => {
  const words = new Set(read('docs/claims.md').match(/\w+/g));
  expect([...RESERVED_CLAIMS].filter((claim) => !words.has(claim))).toEqual([]);
});

/**
 * Differences from Logto's interface: required by a standard, safer, or additional. The migration guide must name each
 * one.
 */
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

it.each(Object.entries(DIFFERENCES))('every difference is told to migrants: %s', (_, words) => {
  const guide = read('docs/migrate-from-logto.md');
  expect(words.filter((word) => !guide.includes(word))).toEqual([]);
});
