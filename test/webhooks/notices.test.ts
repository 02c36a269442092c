import { expect, inject, it } from 'vitest';
import { createLogger } from '../../src/observe/logger.ts';
import { Notices } from '../../src/webhooks/notices.ts';
import { createDatabase } from '../support/databases.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Stage, until } from './stage.ts';

const logger = createLogger('silent');

it('tells other processes whose deliveries were written, coalesced, and not oneself', async () => {
  await using database = await createDatabase('postgres', inject('postgresUrl'));
  const heard: { mine: unknown[]; others: unknown[] } = { mine: [], others: [] };
  const mine = new Notices(database.url ?? '', (tenantId) => heard.mine.push(tenantId), logger);
  const other = new Notices(database.url ?? '', (tenantId) => heard.others.push(tenantId), logger);
  try {
    await Promise.all([mine.start(), other.start()]);
    for (const tenantId of ['a', 'b', 'a']) mine.tell(tenantId);
    await until(
      async () => heard.others.length,
      (count) => count >= 2,
    );
    expect(heard).toEqual({ mine: [], others: ['a', 'b'] });
    for (let tenant = 0; tenant < 500; tenant += 1) mine.tell(`tenant-with-a-long-name-${tenant}`);
    await until(
      async () => heard.others.length,
      (count) => count >= 3,
    );
    expect(heard.others.slice(2)).toEqual([undefined]); // Too many to name: any may have some.
  } finally {
    await Promise.all([mine.stop(), other.stop()]);
  }
});

it('come back after the connection is lost', async () => {
  await using stage = await Stage.open('postgres');
  const heard: unknown[] = [];
  const mine = new Notices(stage.url ?? '', () => undefined, logger);
  const other = new Notices(stage.url ?? '', (tenantId) => heard.push(tenantId), logger);
  try {
    await Promise.all([mine.start(), other.start()]);
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'understudy notices' and datname = current_database()`;
    await stage.database.reader.raw(end);
    const again = async () => {
      mine.tell('default');
      return heard.length;
    };
    await until(again, (count) => count > 0);
  } finally {
    await Promise.all([mine.stop(), other.stop()]);
  }
});

it('are no reason to deliver twice: two pollers share the work', async () => {
  await using stage = await Stage.open('postgres');
  await using receiver = await WebhookReceiver.start();
  await stage.hook(receiver.url);
  const [first, second] = [await stage.poller(), await stage.poller()];
  for (let n = 0; n < 20; n += 1) await stage.announce();
  await receiver.reach(20);
  await Promise.all([first.stop(), second.stop()]);
  const ids = receiver.arrivals.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
});
