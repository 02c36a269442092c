import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN } from '../../src/tokens/urns.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

/** Checks the effect of suspensions, deletions and revocations where the access would be used. */
describe.each(databases)('access on %s', (kind) => {
  const impersonating = async (service: Awaited<ReturnType<typeof startService>>) => {
    const cast = castOf(service);
    const { alice, spa, resource, scope } = cast;
    const actorToken = await spa.signIn(alice);
    const exchange = async (subjectToken: string) =>
      spa.exchange({
        subject_token: subjectToken,
        subject_token_type: ACCESS_TOKEN,
        actor_token: actorToken,
        actor_token_type: ACCESS_TOKEN,
        resource,
        scope,
      });
    expect(await exchange(await cast.mint())).toMatchObject({ status: 200 });
    const running = () => service.api.must('GET /impersonations?active=true');
    expect(await running()).toMatchObject([{ subjectId: cast.bob.id, actorId: alice.id, revokedAt: null }]);
    return { ...cast, exchange, running, unspent: await cast.mint(), actorToken };
  };

  it('ends when the subject is suspended, and does not return with the reactivation', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { bob, exchange, running, unspent } = await impersonating(service);
    await api.must(`PATCH /users/${bob.id}/is-suspended`, { isSuspended: true });
    expect(await running()).toEqual([]);
    expect(await api.must('GET /subject-tokens?state=revoked')).toHaveLength(1);
    expect(await exchange(unspent)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await api.call('POST /subject-tokens', { userId: bob.id })).toMatchObject({
      status: 422,
      body: { code: 'user.suspended' },
    });
    await api.must(`PATCH /users/${bob.id}/is-suspended`, { isSuspended: false });
    expect(await exchange(unspent)).toMatchObject({ status: 400 });
  });

  it('ends when the actor is suspended: sessions, tokens and impersonations', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { alice, exchange, mint, running } = await impersonating(service);
    await api.must(`PATCH /users/${alice.id}/is-suspended`, { isSuspended: true });
    expect(await running()).toEqual([]);
    expect(await exchange(await mint())).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const [ended] = await api.must('GET /logs?logKey=Impersonation.End');
    expect(ended.payload).toMatchObject({ actorId: alice.id, details: { reason: 'suspended' } });
  });

  it('ends when the subject is deleted, whose impersonations can still be read', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { bob, exchange, running, unspent } = await impersonating(service);
    await api.must(`DELETE /users/${bob.id}`);
    expect(await running()).toEqual([]);
    expect(await api.must(`GET /impersonations?subjectId=${bob.id}&active=false`)).toHaveLength(1);
    expect(await exchange(unspent)).toMatchObject({ status: 400 });
  });

  it('ends when an impersonation is revoked, and a second revocation changes nothing', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { running } = await impersonating(service);
    const [{ id }] = await running();
    expect(await api.call(`POST /impersonations/${id}/revoke`)).toMatchObject({ status: 204 });
    const [first] = await api.must('GET /impersonations');
    expect(first).toMatchObject({ id, revokedAt: expect.any(Number), revokedBy: service.credentials.machine.clientId });
    expect(await api.call(`POST /impersonations/${id}/revoke`)).toMatchObject({ status: 204 });
    expect((await api.must('GET /impersonations'))[0].revokedAt).toBe(first.revokedAt);
  });

  it('ends when a subject token is revoked, which is listed in its new state', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { bob, exchange, unspent } = await impersonating(service);
    const inState = (state: string) => api.must(`GET /subject-tokens?state=${state}&userId=${bob.id}`);
    const [active] = await inState('active');
    expect(active).toMatchObject({ userId: bob.id, consumedAt: null, revokedAt: null });
    expect(JSON.stringify(active)).not.toMatch(/hash|sub_/i);
    expect(await inState('spent')).toMatchObject([{ consumedAt: expect.any(Number) }]);
    expect(await api.call(`DELETE /subject-tokens/${active.id}`)).toMatchObject({ status: 204 });
    expect(await inState('active')).toEqual([]);
    expect(await inState('revoked')).toMatchObject([{ id: active.id }]);
    expect(await exchange(unspent)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('cannot be requested with unknown ids, the subject as the actor, or a context that is too large', async () => {
    await using service = await startService(kind);
    const { api } = service;
    const { bob } = castOf(service);
    const mint = (overrides: object) => api.call('POST /subject-tokens', { userId: bob.id, ...overrides });
    const missing = (member: string) => ({
      status: 404,
      body: { code: 'entity.relation_foreign_key_not_found', data: { member } },
    });
    expect(await mint({ userId: 'zzzzzzzzzzzz' })).toMatchObject(missing('userId'));
    expect(await mint({ clientId: 'z'.repeat(21) })).toMatchObject(missing('clientId'));
    expect(await mint({ actorId: 'zzzzzzzzzzzz' })).toMatchObject(missing('actorId'));
    expect(await mint({ resource: 'https://nobody.example' })).toMatchObject(missing('resource'));
    expect(await mint({ actorId: bob.id })).toMatchObject({ status: 400 });
    expect(await mint({ context: { note: 'x'.repeat(17_000) } })).toMatchObject({ status: 400 });
    expect(await mint({ context: { note: 'x'.repeat(16_000) } })).toMatchObject({ status: 201 });
  });
});
