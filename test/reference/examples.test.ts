import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../src/base/example.ts';
import { operations } from '../../src/management/index.ts';
import { databases } from '../support/databases.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';

const withBody = operations.filter(({ body }) => body);

const run = promisify(execFile);

describe.each(databases)('the examples of the API reference on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());

  /** The code of a language on a page of the reference. */
  async function sampleIn(page: string, id: string, language: string): Promise<string> {
    const html = await (await fetch(`${stage.service.url}/api/${page}`)).text();
    const from = html.indexOf(`<summary>${language}</summary>`, html.indexOf(id));
    const text = html.slice(html.indexOf('<pre', from), html.indexOf('</pre>', from)).replace(/^<pre[^>]*>/, '');
    return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => DECODED[name] ?? '');
  }
  const DECODED: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

  it('run: the token with curl and the user with Node, then the other way round', async () => {
    const { machine } = stage.service.credentials;
    const PATH = `${join(process.execPath, '..')}:${process.env.PATH}`;
    const env = { ...process.env, PATH, CLIENT_ID: machine.clientId, CLIENT_SECRET: machine.clientSecret };
    const folder = await mkdtemp(join(tmpdir(), 'reference-'));
    const node = async (code: string, TOKEN = '') => {
      const file = join(folder, 'sample.mjs');
      await writeFile(file, code);
      return (await run(process.execPath, [file], { env: { ...env, TOKEN } })).stdout.trim();
    };
    const shell = async (code: string, TOKEN = '') =>
      (await run('bash', ['-euc', code], { env: { ...env, TOKEN } })).stdout.trim();

    const byCurl = await shell(`${await sampleIn('docs', 'Get an access token', 'curl')}\necho $TOKEN`);
    expect(byCurl).toMatch(/^ey/);
    const created = await node(await sampleIn('docs/users', 'id="postUsers"', 'Node'), byCurl);
    expect(created).toMatch(/^200 \{[\s\S]*username: 'ada'/);

    const byNode = await node(await sampleIn('docs', 'Get an access token', 'Node'));
    expect(byNode).toMatch(/^ey/);
    const role = await shell(await sampleIn('docs/roles', 'id="postRoles"', 'curl'), byNode);
    expect(JSON.parse(role)).toMatchObject({ name: 'Support', type: 'User' });
  });

  it.each(withBody.map((operation) => [operation.route, operation] as const))(
    'are valid as they are: %s',
    async (route, { body, example }) => {
      const { params = {} } = samples[route]?.(stage.world) ?? {};
      const sent = example ?? (body && exampleOf(body));
      const answer = await stage.api.call(...requestOf(route, { params, body: sent }));
      // An id of an example may be unknown, and a name may be taken. Neither is a fault of the example.
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
      expect(String(answer.body?.code), JSON.stringify(answer.body)).not.toMatch(
        /^(?:guard\.|request\.|entity\.invalid_input|hook\.missing)/,
      );
    },
  );

  it('have different ids for different things', () => {
    const body = operations.find(({ route }) => route === 'POST /subject-tokens')?.body;
    const { userId, clientId, actorId } = exampleOf(body ?? {}) as Record<string, string>;
    expect(new Set([userId, clientId, actorId]).size).toBe(3);
  });
});
