import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { isBehindPooler, openDatabase } from '../../src/database/open.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { castOf, verifyAccessToken } from '../support/cast.ts';
import { createMigrated, type Database } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts';
import { TransactionPooler } from './transaction-pooler.ts';

const PARALLEL = 24;

const poolers = [
  { name: 'a simulated pooler', start: (url: string) => TransactionPooler.before(url) },
  ...(hasPgBouncer ? [{ name: 'PgBouncer', start: startPgBouncer }] : []),
];

describe.each(poolers)('behind $name, in transaction mode', ({ start }) => {
  it('works, and processes notify each other over direct connections', async () => {
    await using database = await createMigrated('postgres');
    await using pooler = await start(database.url ?? '');
    await using receiver = await WebhookReceiver.start();
    const pooled: Database = { ...database, url: pooler.url };
    const env = { DATABASE_DIRECT_URL: database.url ?? '', RATE_LIMIT_TOKEN: '1000000' };
    await using first = await startService('postgres', env, pooled);
    await using second = await startService('postgres', env, pooled);

    const cast = castOf(first);
    const config = { url: receiver.url };
    await first.api.must('POST /hooks', { name: 'All', events: ['User.Created'], config });
    const actor_token = await cast.spa.signIn(cast.alice);
    const exchangeOne = async () => cast.spa.exchange({ subject_token: await cast.mint(), actor_token });
    const write = (n: number) => first.api.call('POST /users', { username: `user${n}` });
    const numbers = Array.from({ length: PARALLEL }, (_, n) => n);
    const [exchanged, written] = await Promise.all([
      Promise.all(numbers.map(exchangeOne)),
      Promise.all(numbers.map(write)),
    ]);
    expect(exchanged.filter(({ status }) => status !== 200)).toEqual([]);
    expect(written.filter(({ status }) => status !== 200)).toEqual([]);
    await receiver.reach(PARALLEL);

    const claimsAtSecond = async () => {
      const { body } = await castOf({ ...first, url: second.url }).spa.exchange({ subject_token: await cast.mint() });
      return (await verifyAccessToken(first, body.access_token, cast.resource)).plan;
    };
    const path = '/configs/jwt-customizer/access-token';
    await claimsAtSecond();
    await first.api.must(`PUT ${path}`, { script: "const getCustomJwtClaims = async () => ({ plan: 'gold' });" });
    await expect.poll(claimsAtSecond, { timeout: 3_500 }).toBe('gold');
  });

  it('works without DATABASE_DIRECT_URL, and warns that changes take effect later', async () => {
    await using database = await createMigrated('postgres');
    await using pooler = await start(database.url ?? '');
    expect([await isBehindPooler(pooler.url), await isBehindPooler(database.url ?? '')]).toEqual([true, false]);
    await using service = await startService('postgres', {}, { ...database, url: pooler.url });
    const cast = castOf(service);
    const { status } = await cast.spa.exchange({ subject_token: await cast.mint() });
    expect(status).toBe(200);

    const warnings: string[] = [];
    const logger = { warn: (text: string) => warnings.push(text), info: () => {} } as unknown as Logger;
    const closing: (() => unknown)[] = [];
    const settings = readConfig({ DATABASE_URL: pooler.url, DATA_DIR: database.dataDir });
    await openDatabase(settings, logger, { add: (step) => closing.unshift(step) }, { metrics: undefined });
    for (const step of closing) await step();
    expect(warnings).toEqual([expect.stringContaining('DATABASE_DIRECT_URL')]);
  });
});
