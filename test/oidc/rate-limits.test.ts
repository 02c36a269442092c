import { describe, expect, it } from 'vitest';
import { postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { withinOneMinute } from '../support/minute.ts';
import { startService, type TestService } from '../support/start-service.ts';

const token = ({ url }: TestService, clientId: string) =>
  postForm(`${url}/oidc/token`, { grant_type: 'client_credentials', client_id: clientId });

describe.each(databases)('rate limits on %s', (kind) => {
  it('hold one client back at the token endpoint, and nobody else', async () => {
    await using service = await startService(kind, { RATE_LIMIT_TOKEN: '3' });
    await withinOneMinute();
    const statuses: number[] = [];
    for (let request = 0; request < 5; request += 1) statuses.push((await token(service, 'one')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);

    const refused = await token(service, 'one');
    expect(refused.body).toMatchObject({ error: 'temporarily_unavailable', code: 'oidc.temporarily_unavailable' });
    expect(refused.headers.get('ratelimit-limit')).toBe('3');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const reset = Number(refused.headers.get('ratelimit-reset'));
    expect(reset > 0 && reset <= 60).toBe(true);
    expect(refused.headers.get('retry-after')).toBe(String(reset));
    expect((await token(service, 'another')).status).toBe(401);
  });

  it('know a client by what it is called, however that is written', async () => {
    await using service = await startService(kind, { RATE_LIMIT_TOKEN: '3' });
    await withinOneMinute();
    const statuses: number[] = [];
    for (const id of ['one', '%6fne', 'o%6ee', 'on%65'])
      statuses.push(
        (
          await postForm(
            `${service.url}/oidc/token`,
            { grant_type: 'authorization_code' },
            { authorization: `Basic ${btoa(`${id}:x`)}` },
          )
        ).status,
      );
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('hold one application back at the subject tokens', async () => {
    await using service = await startService(kind, { RATE_LIMIT_SUBJECT_TOKENS: '2' });
    const { mint, bob } = castOf(service);
    await withinOneMinute();
    await mint();
    await mint();
    const { status, body, headers } = await service.api.call('POST /subject-tokens', { userId: bob.id });
    expect([status, body.code]).toEqual([429, 'request.rate_limited']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await service.api.call('GET /subject-tokens')).status).toBe(200);
  });
});

it('count over all processes on one PostgreSQL', async () => {
  await using first = await startService('postgres', { RATE_LIMIT_TOKEN: '6' });
  const shared = { url: first.databaseUrl, dataDir: first.dataDir, [Symbol.asyncDispose]: async () => {} };
  await using second = await startService('postgres', { RATE_LIMIT_TOKEN: '6' }, shared);
  await withinOneMinute();
  for (let request = 0; request < 5; request += 1) expect((await token(first, 'roaming')).status).toBe(401);
  // Names that the database does not take, or takes for one another.
  for (const id of [`${'a'.repeat(63)}😀`, `${'b'.repeat(300)}1`, `${'b'.repeat(300)}2`])
    expect((await token(first, id)).status).toBe(401);
  const nul = { authorization: `Basic ${btoa('a\0:x')}` };
  expect((await postForm(`${first.url}/oidc/token`, { grant_type: 'refresh_token' }, nul)).status).toBe(400);
  // The second hears of the first's requests when it tells its own; its own alone would not be too many.
  let own = 0;
  const status = async () => {
    own += 1;
    return (await token(second, 'roaming')).status;
  };
  await expect.poll(status, { interval: 1_000 }).toBe(429);
  expect(own).toBeLessThan(6);
  expect(Number((await token(second, 'roaming')).headers.get('ratelimit-remaining'))).toBe(0);
});
