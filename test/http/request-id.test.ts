import { describe, expect, it } from 'vitest';
import { postForm } from '../support/call.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';

const GIVEN = 'edge-4711.a_b';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id');
const readUsers = ({ api }: TestService, id: string) => api.call('GET /users', undefined, { 'x-request-id': id });

describe.each(databases)('the request id on %s', (kind) => {
  it('is kept from a trusted proxy if it is well-formed, and appears in errors and the audit log', async () => {
    await using service = await startService(kind, { DEMO: 'false', TRUST_PROXY: 'loopback' });
    const headers = { 'x-request-id': GIVEN };
    expect(idOf(await readUsers(service, GIVEN))).toBe(GIVEN);
    for (const harmful of ['short', 'with spaces in it', 'a'.repeat(65), '<script>alert(1)</script>'])
      expect(idOf(await readUsers(service, harmful))).toMatch(UUID);

    const role = await service.api.call('POST /roles', { name: 'Clerk', description: 'Clerk' }, headers);
    const refused = await service.api.call('POST /roles', { name: 'Clerk', description: 'Clerk' }, headers);
    const token = await postForm(`${service.url}/oidc/token`, { grant_type: 'client_credentials' }, headers);
    const shed = await fetch(`${service.url}/api/nowhere`, { headers });
    expect([role, refused, token, shed].map(idOf)).toEqual(Array(4).fill(GIVEN));
    expect([role, refused, token, shed].map(({ status }) => status)).toEqual([200, 422, 400, 401]);
    const logged = async () => {
      const rows = await service.api.must('GET /logs');
      return rows.filter(({ payload }: { payload: { requestId?: string } }) => payload.requestId === GIVEN).length;
    };
    await expect.poll(logged).toBe(3); // The unauthenticated request is not in the audit log.
  });
});

it('generates a request id if no trusted proxy sends one', async () => {
  await using service = await startService('sqlite', { DEMO: 'false' });
  expect(idOf(await readUsers(service, GIVEN))).toMatch(UUID);
});
