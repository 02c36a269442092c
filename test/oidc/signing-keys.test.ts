import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../src/base/secret-box.ts';
import { DAY_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import { Tenants } from '../../src/tenants.ts';
import { PUBLISHED_MS } from '../../src/tokens/keys/key-rotation.ts';
import { rotateSigningKeys } from '../../src/tokens/keys/scheduled-rotation.ts';
import { SIGNING_ALGORITHMS } from '../../src/tokens/keys/signing-keys.ts';
import { getJson, postForm } from '../support/call.ts';
import { castOf, verifyAccessToken } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

interface Key {
  id: string;
  signingKeyAlgorithm: string;
  state: 'next' | 'current' | 'previous';
  retireAt: number | null;
}

describe.each(databases)('signing keys on %s', (kind) => {
  let service: TestService;
  /** A second connection, like that of another process. */
  let database: Database;
  beforeAll(async () => {
    service = await startService(kind, { RATE_LIMIT_TOKEN: '100000000' });
    database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });

  const PATH = '/configs/oidc/private-keys';
  const keys = (): Promise<Key[]> => service.api.must(`GET ${PATH}`);
  const rotate = (body: object = {}): Promise<Key[]> => service.api.must(`POST ${PATH}/rotate`, body);
  const idOf = (list: Key[], state: Key['state']) => list.find((key) => key.state === state)?.id as string;
  const published = async () => (await getJson(`${service.url}/oidc/jwks`)).keys.map(({ kid }: { kid: string }) => kid);

  const store = () => new TenantStore(database, 'default');
  const job = async (rotationDays?: number) => {
    const secrets = new SecretBox(await loadSecretKey(service.dataDir));
    const tenants = new Tenants(database, Date.now);
    await rotateSigningKeys({ database, tenants, secrets, clock: Date.now, rotationDays });
  };
  /** Changes the time when a key was created or retires. */
  const backdate = (id: string, patch: { createdAt?: number; retireAt?: number }) =>
    store().change('signingKeys', { id }, patch);

  /** Ids of the keys for which the audit log has this scheduled step. */
  const recorded = async (step: string): Promise<string[]> => {
    const logs: { payload: { details: { keyId: string } } }[] = await service.api.must(
      `GET /logs?logKey=SigningKey.${step}`,
    );
    return logs.map(({ payload }) => payload.details.keyId);
  };

  const machine = () =>
    `Basic ${btoa(`${service.credentials.machine.clientId}:${service.credentials.machine.clientSecret}`)}`;
  const machineToken = async (): Promise<string> => {
    const form = {
      grant_type: 'client_credentials',
      resource: service.credentials.managementApiIndicator,
      scope: 'all',
    };
    const { status, body } = await postForm(`${service.url}/oidc/token`, form, { authorization: machine() });
    expect(status).toBe(200);
    return body.access_token;
  };
  const isActive = async (token: string): Promise<boolean> => {
    const url = `${service.url}/oidc/token/introspection`;
    return (await postForm(url, { token }, { authorization: machine() })).body.active;
  };
  const callWith = async (token: string): Promise<number> =>
    (await fetch(`${service.url}/api${PATH}`, { headers: { authorization: `Bearer ${token}` } })).status;

  it('are listed without private parts', async () => {
    const answer = await service.api.call(`GET ${PATH}`);
    expect(answer.body).toEqual([
      {
        tenantId: 'default',
        id: expect.any(String),
        signingKeyAlgorithm: 'ES256',
        state: 'current',
        createdAt: expect.any(Number),
        retireAt: null,
      },
    ]);
  });

  it('are published before they sign, and stay published after', async () => {
    const first = idOf(await keys(), 'current');
    const old = await machineToken();
    const next = idOf(await rotate(), 'next');
    expect(await published()).toEqual(expect.arrayContaining([first, next]));
    expect(decodeProtectedHeader(await machineToken()).kid).toBe(first);

    expect(idOf(await rotate(), 'next')).toBe(next); // Too early, so it is not promoted.
    await job();
    expect(idOf(await keys(), 'next')).toBe(next);

    await backdate(next, { createdAt: Date.now() - PUBLISHED_MS });
    const promoted = await rotate();
    expect([idOf(promoted, 'current'), idOf(promoted, 'previous')]).toEqual([next, first]);
    const { retireAt } = promoted.find(({ id }) => id === first) as Key;
    expect((retireAt as number) - Date.now()).toBeGreaterThan(3_600_000);
    expect(decodeProtectedHeader(await machineToken()).kid).toBe(next);
    expect([await isActive(old), await callWith(old)]).toEqual([true, 200]);
  });

  it('are promoted by the job, and every process uses the new key', async () => {
    const next = idOf(await rotate(), 'next');
    await backdate(next, { createdAt: Date.now() - PUBLISHED_MS });
    await Promise.all([job(), job()]);
    expect(idOf(await keys(), 'current')).toBe(next);
    expect(await recorded('Promote')).toEqual([next]);
    await expect.poll(async () => decodeProtectedHeader(await machineToken()).kid).toBe(next);
  });

  it('are rotated on the schedule of the service or of the tenant', async () => {
    const current = idOf(await keys(), 'current');
    await backdate(current, { createdAt: Date.now() - 31 * DAY_MS });
    await job();
    expect(idOf(await keys(), 'next')).toBeUndefined();
    await service.api.must('PATCH /configs/oidc/key-rotation', { rotationDays: 60 });
    await job(30);
    expect(idOf(await keys(), 'next')).toBeUndefined();
    await service.api.must('PATCH /configs/oidc/key-rotation', { rotationDays: null });
    await Promise.all([job(30), job(30)]);
    expect((await keys()).filter(({ state }) => state === 'next')).toHaveLength(1);
    expect(await recorded('Publish')).toEqual([idOf(await keys(), 'next')]);
  });

  it('can be deleted unless they are current', async () => {
    const [current, next] = [idOf(await keys(), 'current'), idOf(await keys(), 'next')];
    const refused = await service.api.call(`DELETE ${PATH}/${current}`);
    expect([refused.status, refused.body.code]).toEqual([422, 'signing_key.is_current']);
    expect((await service.api.call(`DELETE ${PATH}/${next}`)).status).toBe(204);
    expect((await service.api.call(`DELETE ${PATH}/${next}`)).body.code).toBe('entity.not_found');
    expect(await published()).not.toContain(next);
  });

  it.each(SIGNING_ALGORITHMS)('sign and verify with %s, at once if requested', async (signingKeyAlgorithm) => {
    const list = await rotate({ signingKeyAlgorithm, immediately: true });
    expect(list[0]).toMatchObject({ signingKeyAlgorithm, state: 'current' });
    const token = await machineToken();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: signingKeyAlgorithm, kid: list[0]?.id });
    await verifyAccessToken(service, token, service.credentials.managementApiIndicator);
    expect([await isActive(token), await callWith(token)]).toEqual([true, 200]);
    const cast = castOf(service);
    await cast.spa.signIn(cast.alice); // openid-client verifies the ID token.

    const { body } = await cast.spa.exchange({ subject_token: await cast.mint() });
    expect(decodeProtectedHeader(body.access_token)).toMatchObject({ alg: signingKeyAlgorithm, kid: list[0]?.id });
    await verifyAccessToken(service, body.access_token, cast.resource);
  });

  it('are rotated under load without a failed request', { timeout: 60_000 }, async () => {
    const old = await machineToken();
    let isOver = false;
    const seen: number[] = [];
    const load = async () => {
      while (!isOver) {
        const token = await machineToken();
        seen.push(
          await callWith(token),
          (await isActive(token)) && (await isActive(old)) ? 200 : 0,
          await callWith(old),
        );
      }
    };
    const loads = Array.from({ length: 8 }, load);
    try {
      for (let turn = 0; turn < 5; turn += 1) {
        await rotate({ signingKeyAlgorithm: turn % 2 ? 'ES256' : 'ES384', immediately: true });
        const before = seen.length;
        await expect.poll(() => seen.length - before, { timeout: 20_000 }).toBeGreaterThan(30);
      }
    } finally {
      isOver = true;
      await Promise.all(loads);
    }
    expect(seen.length).toBeGreaterThan(150);
    expect(seen.filter((status) => status !== 200)).toEqual([]);
  });

  it('retire when the tokens they signed have expired', async () => {
    const old = await machineToken();
    const first = (await rotate({ immediately: true })).find(({ state }) => state === 'previous')?.id as string;
    expect(decodeProtectedHeader(old).kid).toBe(first);
    expect(await callWith(old)).toBe(200);
    await backdate(first, { retireAt: Date.now() - 1 });
    await job();
    await expect.poll(published).not.toContain(first);
    expect([await isActive(old), await callWith(old)]).toEqual([false, 401]);
    expect(await recorded('Retire')).toEqual([first]);
  });

  it.each([
    ['EC', 'ES384'],
    ['RSA', 'RS256'],
  ])('accept %s as the name of an algorithm', async (signingKeyAlgorithm, algorithm) => {
    const [current] = await rotate({ signingKeyAlgorithm, immediately: true });
    expect(current).toMatchObject({ state: 'current', signingKeyAlgorithm: algorithm });
  });
});
