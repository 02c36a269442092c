import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { postForm } from '../support/call.ts';
import { castOf, verifyAccessToken } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

describe.each(databases)('a subject token on %s', (kind) => {
  it('is spent by exactly one of fifty parallel exchanges', async () => {
    await using service = await startService(kind);
    const cast = castOf(service);
    const subjectToken = await cast.mint();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => cast.spa.exchange({ subject_token: subjectToken })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(49);
    for (const { status, body } of refused) {
      expect([status, body.error, body.error_description]).toEqual([
        400,
        'invalid_request',
        'subject token was already used',
      ]);
    }
    const { body: rows } = await service.api.call(`GET /impersonations?subjectId=${cast.bob.id}&page_size=100`);
    const success = answers.find(({ status }) => status === 200);
    const { jti } = await verifyAccessToken(service, success?.body.access_token, cast.resource);
    expect(rows.filter(({ id }: { id: string }) => id === jti)).toHaveLength(1);
  });
});

it('is spent by exactly one exchange across two processes with one PostgreSQL', async () => {
  await using first = await startService('postgres');
  await using second = await startService(
    'postgres',
    {},
    {
      url: first.databaseUrl,
      dataDir: first.dataDir,
      [Symbol.asyncDispose]: async () => {},
    },
  );
  const cast = castOf(first);
  for (let round = 0; round < 5; round += 1) {
    const subject_token = await cast.mint();
    const form = {
      grant_type: TOKEN_EXCHANGE,
      client_id: cast.spa.clientId,
      subject_token,
      subject_token_type: ACCESS_TOKEN,
      resource: cast.resource,
    };
    const urls = Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? first.url : second.url));
    const answers = await Promise.all(urls.map((url) => postForm(`${url}/oidc/token`, form)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(31);
  }
});
