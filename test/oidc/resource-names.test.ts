import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

describe.each(databases)('resource indicators on %s', (kind) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    service = await startService(kind);
    cast = castOf(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const refusalOf = ({ status, body }: Answer) => [status, body.error, body.error_description];

  it.each(['urn:logto:resource:organizations', 'urn:logto:organization:acme', 'URN:Logto:anything'])(
    'refuse %s as a resource',
    async (indicator) => {
      const { status, body } = await service.api.call('POST /resources', { name: 'Fake', indicator });
      expect([status, body.code]).toEqual([400, 'guard.invalid_input']);
    },
  );

  it('are named with the reason when an exchange is refused', async () => {
    const { managementApiIndicator } = service.credentials;
    const ask = async (resource: string) =>
      refusalOf(await cast.spa.exchange({ subject_token: await cast.mint(), resource }));
    expect(await ask(`${cast.resource}/`)).toEqual([
      400,
      'invalid_target',
      `resource ${cast.resource}/ is not registered`,
    ]);
    expect(await ask(managementApiIndicator)).toEqual([
      400,
      'invalid_target',
      `resource ${managementApiIndicator} is not available to users`,
    ]);
    expect((await ask('https://x.example/"\\\r\n\u00e9'))[2]).toBe(
      'resource https://x.example/????? is not registered',
    );
  });
});
