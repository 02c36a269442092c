import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/base/times.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { writeFigures } from '../../src/database/statistics/figure-writer.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { RANGES, type Range, readOverview } from '../../src/management/settings/overview.ts';
import { postForm } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { addTenant } from '../support/tenant-rows.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';

const NOW = Date.UTC(2026, 5, 1, 12, 34, 56);

describe.each(databases)('the overview on %s', (kind) => {
  let service: TestService;
  let database: Database;
  beforeAll(async () => {
    service = await startService(kind, { WEBHOOK_RETRY_SCHEDULE: '0,60' });
    const { databaseUrl, dataDir } = service;
    database = connect({ databaseUrl, dataDir, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await service[Symbol.asyncDispose]();
  });
  const overview = (range: Range = '1h', tenantId = 'default', now = Date.now()) =>
    readOverview(new TenantStore(database, tenantId), { range }, now);

  it('counts what happened over HTTP', async () => {
    await using receiver = await WebhookReceiver.start({
      behaviour: (response, arrival, count) =>
        status(arrival.event === 'Role.Created' ? 500 : 200)(response, arrival, count),
    });
    const { api } = service;
    const { spa, mint, alice, bob } = castOf(service);
    const { machine, managementApiIndicator: resource } = service.credentials;
    const authorization = `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}`;
    const form = { grant_type: 'client_credentials', resource, scope: 'all' };
    await postForm(`${service.url}/oidc/token`, form, { authorization });
    await postForm(`${service.url}/oidc/token`, { ...form, resource: 'https://nowhere.example' }, { authorization });
    await api.must('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = async () => ({ tier: "gold" });',
    });
    await spa.signIn(alice);
    const tokens = [await spa.exchange({ subject_token: await mint() })];
    tokens.push(await spa.exchange({ subject_token: await mint() }));
    await spa.exchange({ subject_token: 'sub_nobody' });
    const [impersonation] = await api.must(`GET /impersonations?subjectId=${bob.id}`);
    await api.must(`POST /impersonations/${impersonation.id}/revoke`);
    await api.call('POST /roles', {});
    await api.must('POST /hooks', {
      name: 'Hook',
      events: ['Role.Created', 'User.Created'],
      config: { url: receiver.url },
    });
    await api.must('POST /roles', { name: 'Tester', description: 'Tests' });
    await api.must('POST /users', { username: 'somebody' });
    await receiver.reach(2);

    await expect
      .poll(async () => await overview(), { timeout: 20_000 })
      .toMatchObject({
        total: {
          tokensByCode: 1,
          tokensByClient: 2, // One is the token of this test's own calls.
          tokensRefused: 2,
          impersonationsBegun: 2,
          impersonationsEnded: 1,
          requestsRefused: 1,
          scriptRuns: 2,
          scriptFailures: 0,
          scriptMicros: expect.toSatisfy((micros: number) => micros > 0),
          deliveriesDelivered: 1,
          deliveriesRetried: 1,
        },
        running: 1,
        waiting: 1,
      });
  });

  it.each(Object.keys(RANGES) as Range[])('has a point per step over %s, and the previous period', async (range) => {
    const { stepMs, steps } = RANGES[range];
    const tenantId = `over-${range}`;
    await addTenant(database, tenantId);
    const counted = (startsAt: number, tokensByCode: number, backlog = 0) => ({
      tenantId,
      startsAt: startsAt - (startsAt % MINUTE_MS),
      counts: { tokensByCode, backlog },
    });
    const first = NOW - (NOW % stepMs) - (steps - 1) * stepMs;
    await writeFigures(database, [
      counted(NOW, 1, 4),
      counted(first, 10, 7),
      counted(first - 1, 100),
      counted(first - steps * stepMs, 1_000),
      counted(first - steps * stepMs - 1, 10_000),
    ]);
    const { points, total, before } = await overview(range, tenantId, NOW);
    expect(points.map(({ startsAt }) => startsAt)).toEqual(
      Array.from({ length: steps }, (_, step) => first + step * stepMs),
    );
    expect(points.filter(({ tokensByCode }) => tokensByCode > 0)).toMatchObject([
      { startsAt: first, tokensByCode: 10, backlog: 7 },
      { startsAt: NOW - (NOW % stepMs), tokensByCode: 1, backlog: 4 },
    ]);
    expect([total.tokensByCode, total.backlog]).toEqual([11, 7]);
    // The minutes just before the range are not compared while the last step is not over.
    const isCompared = NOW - (NOW % stepMs) + stepMs - NOW <= RANGES[range].widthMs;
    expect(before.tokensByCode).toBe(isCompared ? 1_100 : 1_000);
  });

  it('shows any period of the last 15 days in at most 60 steps', async () => {
    const tenantId = 'period';
    await addTenant(database, tenantId);
    const store = new TenantStore(database, tenantId);
    const counted = (startsAt: number, tokensByCode: number) => ({ tenantId, startsAt, counts: { tokensByCode } });
    const since = NOW - (NOW % HOUR_MS) - 2 * HOUR_MS;
    const until = since + 30 * MINUTE_MS;
    await writeFigures(database, [
      counted(since, 1),
      counted(until - MINUTE_MS, 2),
      counted(until, 10),
      counted(since - MINUTE_MS, 100),
      counted(since - 31 * MINUTE_MS, 1_000),
    ]);
    const shown = await readOverview(store, { since, until }, NOW);
    expect(shown).toMatchObject({ since, until, total: { tokensByCode: 3 }, before: { tokensByCode: 100 } });
    expect([shown.range, shown.points.length]).toEqual([undefined, 30]);

    const week = await readOverview(store, { since: NOW - 7 * 24 * HOUR_MS, until: NOW }, NOW);
    expect([week.points.length <= 61, week.total.tokensByCode]).toEqual([true, 1_113]);
    const all = await readOverview(store, { since: 0 }, NOW);
    expect([all.points.length <= 61, all.total.tokensByCode]).toEqual([true, 1_113]);
    const instant = await readOverview(store, { since, until: since }, NOW);
    expect(instant.points).toHaveLength(2);
    expect(await service.api.call('GET /overview?since=2&until=1')).toMatchObject({
      status: 400,
      body: { message: 'since is after until. Send an earlier since.' },
    });
  });

  it('does not count events of another tenant', async () => {
    await addTenant(database, 'quiet');
    await writeFigures(database, [{ tenantId: 'default', startsAt: NOW - HOUR_MS / 2, counts: { tokensByCode: 5 } }]);
    const { total, running, waiting } = await overview('1h', 'quiet', NOW);
    expect([Object.values(total).filter(Boolean), running, waiting]).toEqual([[], 0, 0]);
  });
});
