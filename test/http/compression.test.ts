import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOf } from '../../src/base/ids.ts';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { postForm } from '../support/call.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startService, type TestService } from '../support/start-service.ts';

const SESSION = 'a-session-of-a-test';

describe('compression', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService('sqlite', { DEMO: 'false' });
    const database = connect({ databaseUrl: undefined, dataDir: service.dataDir, poolSize: 1 });
    const { id: userId } = await service.api.must('POST /users', { username: 'ada' });
    const store = new TenantStore(database, 'default');
    const [createdAt, expiresAt] = [Date.now(), Date.now() + 3_600_000];
    await store.add('administrators', [{ userId, managedTenantId: 'default', createdAt }]);
    await store.add('consoleSessions', [{ id: hashOf(SESSION), userId, createdAt, expiresAt }]);
    await database.close();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Requests a page of the console, with a session. */
  const openPage = (headers: Record<string, string>) =>
    rawRequest(service.url, '/console/default/directory/roles', { cookie: `console_session=${SESSION}`, ...headers });
  const own = { 'sec-fetch-site': 'same-origin' };

  it('shortens pages and loses nothing', async () => {
    const plain = await openPage(own);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const short = await openPage({ ...own, 'accept-encoding': encoding });
      expect(short.headers['content-encoding']).toBe(encoding);
      expect(short.headers.vary).toContain('Accept-Encoding');
      expect(Number(short.headers['content-length'])).toBe(short.bytes.length);
      expect(short.bytes.length).toBeLessThan(plain.bytes.length * 0.7);
      expect(decompress(short.bytes).toString()).toBe(plain.body);
    }
  });

  it('prefers Brotli, and sends what the client accepts', async () => {
    const encodingOf = async (accepted: string) =>
      (await openPage({ ...own, 'accept-encoding': accepted })).headers['content-encoding'];
    expect(await encodingOf('gzip, deflate, br, zstd')).toBe('br');
    expect(await encodingOf('gzip, br;q=0')).toBe('gzip');
    expect(await encodingOf('zstd')).toBeUndefined();
  });

  it.each(['cross-site', 'same-site', undefined])('leaves a page as it is for a request from %s', async (site) => {
    const headers = { 'accept-encoding': 'br, gzip', ...(site && { 'sec-fetch-site': site }) };
    expect((await openPage(headers)).headers['content-encoding']).toBeUndefined();
  });

  it('shortens public files for every client', async () => {
    const { body } = await openPage({});
    const style = /href="([^"]+\.css)"/.exec(body)?.[1];
    for (const path of [style, '/api/docs', '/api/openapi.json']) {
      const { headers } = await rawRequest(service.url, String(path), { 'accept-encoding': 'gzip, br' });
      expect([path, headers['content-encoding']]).toEqual([path, 'br']);
    }
  });

  it('leaves tokens and the APIs as they are', async () => {
    const accept = { ...own, 'accept-encoding': 'br, gzip' };
    const { clientId, clientSecret } = service.credentials.machine;
    const token = await postForm(
      `${service.url}/oidc/token`,
      { grant_type: 'client_credentials', resource: `${service.url}/api`, scope: 'all' },
      { ...accept, authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    );
    expect([token.status, token.headers.get('content-encoding')]).toEqual([200, null]);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.api.must('POST /users', { username: `user${index}` })),
    );
    const users = await service.api.call('GET /users', undefined, accept);
    expect([users.status, users.headers.get('content-encoding')]).toEqual([200, null]);
  });
});
