import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { Deliveries } from '../../src/webhooks/deliveries/deliveries.ts';
import type { HookKey } from '../../src/webhooks/deliveries/due.ts';
import type { Settlement } from '../../src/webhooks/deliveries/settle.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { park } from '../support/park.ts';
import { startService } from '../support/start-service.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness } from './poller-harness.ts';

const HOOKS = 20;
const BACKLOG = 40_000;
const ROUNDS = 25;

// No statement may scan the backlog: `plans.test.ts` and `parked.test.ts` read the plans. The benchmark `webhooks` compares
// the rate with that of an empty table.
describe.each(databases)('failing endpoints with a backlog on %s', (kind) => {
  it('do not stall writes and token exchanges', async () => {
    await using service = await startService(kind, { WEBHOOK_RETRY_SCHEDULE: Array(200).fill('0').join() });
    await using receiver = await WebhookReceiver.start({ behaviour: status(503) });
    const { bob, spa, mint } = castOf(service);
    const { api, databaseUrl, dataDir } = service;
    const round = async () => {
      await api.must(`PATCH /users/${bob.id}`, { name: 'Casey' });
      expect((await spa.exchange({ subject_token: await mint() })).status).toBe(200);
    };

    const hook = { events: ['User.Data.Updated'], config: { url: receiver.url } };
    for (let count = 0; count < HOOKS; count += 1) await api.must('POST /hooks', { name: `Hook ${count}`, ...hook });
    const database = connect({ databaseUrl, dataDir, poolSize: 1 });
    await park(database, 'default', BACKLOG, Date.now());
    await database.close();

    await round();
    await receiver.reach(HOOKS); // From now on attempts keep failing.
    for (let count = 0; count < ROUNDS; count += 1) await round();
    await receiver.reach(2 * HOOKS + 1); // Attempts went on, if only after the rounds on a busy machine.
  });

  it('are found, claimed and settled among the deliveries that are not due', async () => {
    await using harness = await PollerHarness.open(kind);
    const hooks: HookKey[] = [];
    for (let count = 0; count < HOOKS; count += 1)
      hooks.push({ tenantId: 'default', hookId: await harness.hook('http://127.0.0.1:1') });
    await harness.announce(20);
    const deliveries = new Deliveries(harness.database, 'me');
    const rooms = hooks.map((hook) => ({ ...hook, room: 8 }));
    await park(harness.database, 'default', BACKLOG, Date.now());
    for (let cycle = 0; cycle < 3; cycle += 1) {
      const now = Date.now();
      expect(await deliveries.dueHooks(now)).toHaveLength(HOOKS);
      const claimed = await deliveries.claim(rooms, now, now + 60_000);
      expect(claimed).toHaveLength(8 * HOOKS);
      expect(claimed.map(({ eventId }) => eventId)).not.toContain('parked');
      await deliveries.settle(
        claimed.map(({ tenantId, id, hookId }): Settlement => ({ tenantId, id, hookId, state: 'waiting' })),
      );
    }
  });
});
