import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { buildStage, type Stage } from '../support/stage.ts';

describe.each(databases)('the audit log on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());
  const of = (key: string) => stage.api.must(`GET /logs?${new URLSearchParams({ logKey: key })}`);

  it('records actor, action, affected user, origin and reason', async () => {
    const { user } = stage.world;
    await stage.api.must('POST /subject-tokens', {
      userId: user,
      context: { ticketId: 'T-77', reason: 'Cannot pay', card: '4111' },
    });
    const [entry] = await of('Management.POST /subject-tokens');
    expect(entry.payload).toMatchObject({
      result: 'Success',
      applicationId: stage.service.credentials.machine.clientId,
      userId: user,
      ip: expect.stringContaining('127.0.0.1'),
      userAgent: 'node',
      requestId: expect.any(String),
      details: { status: 201, reason: 'Cannot pay', ticketId: 'T-77' },
    });
    expect(JSON.stringify(entry)).not.toMatch(/sub_|4111/);
    expect(await stage.api.must(`GET /logs/${entry.id}`)).toEqual(entry);
  });

  it('records refused requests with their code and without their content', async () => {
    const { user } = stage.world;
    await stage.api.call(`POST /users/${user}/password/verify`, { password: 'hunter2' });
    await expect.poll(() => of('Management.POST /users/:userId/password/verify')).toHaveLength(1);
    const [entry] = await of('Management.POST /users/:userId/password/verify');
    expect(entry.payload).toMatchObject({
      result: 'Error',
      userId: user,
      details: { status: 422, code: 'session.invalid_credentials' },
    });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });

  it('can be filtered by user, application, result and time', async () => {
    const { user } = stage.world;
    const ofUser = await stage.api.must(`GET /logs?userId=${user}`);
    expect(ofUser.length).toBeGreaterThan(0);
    expect(ofUser.every(({ payload }: { payload: { userId: string } }) => payload.userId === user)).toBe(true);
    expect(await stage.api.must('GET /logs?applicationId=nobody')).toEqual([]);
    const refused = await stage.api.must('GET /logs?result=Error');
    expect(new Set(refused.map(({ payload }: { payload: { result: string } }) => payload.result))).toEqual(
      new Set(['Error']),
    );
    const last = ofUser[0].createdAt;
    expect(await stage.api.must(`GET /logs?userId=${user}&start_time=${last + 60_000}`)).toEqual([]);
    expect((await stage.api.must(`GET /logs?userId=${user}&end_time=${last}`)).length).toBe(ofUser.length);
  });

  it('refuses a period that ends before it starts', async () => {
    const { hook } = stage.world;
    for (const path of ['/logs', `/hooks/${hook}/recent-logs`])
      expect(await stage.api.call(`GET ${path}?start_time=2&end_time=1`)).toMatchObject({
        status: 400,
        body: { code: 'request.invalid_input' },
      });
  });

  it('cannot be changed', async () => {
    const [{ id }] = await stage.api.must('GET /logs');
    for (const method of ['PATCH', 'PUT', 'DELETE', 'POST'])
      expect(await stage.api.call(`${method} /logs/${id}`), method).toMatchObject({ status: 404 });
  });
});
