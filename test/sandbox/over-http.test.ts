import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cast, castOf } from '../support/cast.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { readCorpus } from './corpus.ts';
import { runnersAlive } from './support.ts';

const BENIGN = 'const getCustomJwtClaims = () => ({ tier: "gold" });';
/** Time limit of a script in milliseconds. Killed scripts take slightly longer. */
const TIMEOUT_MS = 50;
const PATIENCE = { interval: 20 };

/** Uses every hostile script as a tenant would: uploads it, requests a token, and starts a test run. */
describe.each([
  { kind: 'sqlite', harden: true },
  { kind: 'postgres', harden: false },
] as const)('hostile scripts over HTTP on $kind, hardening: $harden', ({ kind, harden }) => {
  let service: TestService;
  let cast: Cast;
  beforeAll(async () => {
    const env = {
      SANDBOX_TIMEOUT_MS: String(TIMEOUT_MS),
      RATE_LIMIT_TOKEN: '100000',
      RATE_LIMIT_SUBJECT_TOKENS: '100000',
    };
    service = await startService(kind, env, undefined, { harden });
    cast = castOf(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const call = (route: string, body?: unknown) => service.api.call(route, body);
  const exchange = async () => cast.spa.exchange({ subject_token: await cast.mint() });

  it.each(readCorpus().map((script) => [`${script.category}: ${script.name}`, script] as const))(
    '%s',
    async (_, { source, expected }) => {
      const uploaded = await call('PUT /configs/jwt-customizer/access-token', { script: source });
      // A script that fails the check at upload is refused and never becomes active.
      expect([200, 201, 422]).toContain(uploaded.status);
      if (uploaded.status !== 422) {
        const allowed = [503, ...expected.map((result) => (result === 'ok' ? 200 : 400))];
        // Repeated because a harmless script can time out on a busy host. All other responses fail at once.
        const isAllowed = async () => {
          const { status, body } = await exchange();
          expect([200, 400, 503], JSON.stringify(body)).toContain(status);
          if (status === 400) expect(['invalid_request', 'access_denied']).toContain(body.error);
          return allowed.includes(status);
        };
        await expect.poll(isAllowed, PATIENCE).toBe(true);
      }
      const tried = await call('POST /configs/jwt-customizer/test', {
        tokenType: 'access-token',
        script: source,
        token: { jti: 'x' },
        context: { user: { id: 'x' } },
      });
      expect([200, 403, 422, 503]).toContain(tried.status);

      // The same process still serves other requests.
      const upload = () => call('PUT /configs/jwt-customizer/access-token', { script: BENIGN });
      await expect.poll(async () => (await upload()).status, PATIENCE).toBeOneOf([200, 201]);
      await expect.poll(async () => (await exchange()).status, PATIENCE).toBe(200);
    },
  );

  it('leave no child process behind', async () => {
    expect(runnersAlive()).not.toEqual([]);
    await service.stop();
    expect(runnersAlive()).toEqual([]);
  });
});
