import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOf } from '../../src/console/places/claims/completion.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const root = join(import.meta.dirname, '../..');
const TSC = join(root, 'node_modules/typescript/bin/tsc');
const REFERENCE = '/// <reference path="./claims.d.ts" />';
const linesFor = (type: string) => `${REFERENCE}\n/** @type {Understudy.${type}} */\n`;

/** The examples of docs/claims.md as an author would save them, each starting with the two lines that reference the types. */
const examples = [...readFileSync(join(root, 'docs/claims.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms)].map(
  ([, text = '']) => (text.startsWith(REFERENCE) ? text : linesFor('GetAccessTokenClaims') + text),
);

const user = (body: string) => `${linesFor('GetAccessTokenClaims')}${body}\n`;
const application = (body: string) => `${linesFor('GetClientCredentialsClaims')}${body}\n`;
const declared = (body: string) => `${REFERENCE}\n/** @param {Understudy.AccessTokenInput} input */\n${body}\n`;

const RIGHT = {
  'an async arrow': user('const getCustomJwtClaims = async ({ context }) => ({ id: context.user.id });'),
  'an arrow': user(
    'const getCustomJwtClaims = ({ token, context }) => ({ id: context.user.id, kind: token.accountId });',
  ),
  'an async function': user(
    'const getCustomJwtClaims = async function ({ context }) { return { g: context.grant?.type }; };',
  ),
  'a declaration': declared('function getCustomJwtClaims({ context }) { return { id: context.user.id }; }'),
  'an async declaration': declared(
    'async function getCustomJwtClaims({ context }) { return { id: context.user.id }; }',
  ),
  'a denial': user(`const getCustomJwtClaims = async ({ api }) => api.denyAccess('No.');`),
  'client credentials': application(
    'const getCustomJwtClaims = async ({ context }) => ({ name: context.application.name });',
  ),
};

const WRONG = {
  'a field that users do not have': user(
    'const getCustomJwtClaims = async ({ context }) => ({ mail: context.user.mail });',
  ),
  'a grant that may be absent': user('const getCustomJwtClaims = ({ context }) => ({ type: context.grant.type });'),
  'an array as the result': user('const getCustomJwtClaims = async () => [1];'),
  'a forgotten return': user('const getCustomJwtClaims = async () => {};'),
  'a forgotten return that waits for nothing': user('const getCustomJwtClaims = () => { const a = {}; };'),
  'an input that does not exist': user('const getCustomJwtClaims = ({ session }) => ({ session });'),
  'a user of client credentials': application('const getCustomJwtClaims = ({ context }) => ({ id: context.user.id });'),
  'a declaration with a wrong field': declared(
    'async function getCustomJwtClaims({ context }) { return { id: context.users }; }',
  ),
};

describe.each(databases)('the types of claims scripts on %s', (kind) => {
  let service: TestService;
  let types: string;
  const folder = mkdtempSync(join(tmpdir(), 'understudy-types-'));
  beforeAll(async () => {
    service = await startService(kind);
    types = await service.api.must('GET /configs/jwt-customizer/types');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await service[Symbol.asyncDispose]();
  });

  /** Returns the errors that the TypeScript compiler reports, by name of the script. */
  function check(name: string, scripts: Record<string, string>): Record<string, string[]> {
    const own = join(folder, name);
    mkdirSync(own);
    writeFileSync(join(own, 'claims.d.ts'), types);
    const names = Object.keys(scripts);
    for (const [index, text] of Object.values(scripts).entries()) writeFileSync(join(own, `${index}.js`), text);
    // `force` makes each file a module, so that functions of the same name do not conflict.
    const options = [
      '--noEmit',
      '--checkJs',
      '--allowJs',
      '--strict',
      '--pretty',
      'false',
      '--moduleDetection',
      'force',
    ];
    const files = names.map((_, index) => `${index}.js`);
    const { stdout } = spawnSync(process.execPath, [TSC, ...options, ...files], { cwd: own, encoding: 'utf8' });
    const faults: Record<string, string[]> = {};
    for (const [line, index] of stdout.matchAll(/^(\d+)\.js\(.*$/gm)) {
      const of = names[Number(index)] as string;
      faults[of] = [...(faults[of] ?? []), line];
    }
    return faults;
  }

  it('accept every example of the documentation', () => {
    expect(examples.length).toBeGreaterThanOrEqual(5);
    expect(check('examples', Object.fromEntries(examples.map((text) => [text, text])))).toEqual({});
  });

  it('accept a script in every supported form', () => {
    expect(check('right', RIGHT)).toEqual({});
  });

  it('reject incorrect scripts', () => {
    expect(Object.keys(check('wrong', WRONG)).sort()).toEqual(Object.keys(WRONG).sort());
  });

  it.each(['AccessTokenInput', 'ClientCredentialsInput'])('provide the completions of the console for %s', (input) => {
    const { input: own = [] } = membersOf(types, input);
    expect(own.map(({ name }) => name)).toEqual(['token', 'context', 'environmentVariables', 'api']);
  });
});
