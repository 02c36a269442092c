import { randomBytes } from 'node:crypto';
import { newId, newOrderedId } from '../../../src/base/ids.ts';
import { SecretBox } from '../../../src/base/secret-box.ts';
import { connect } from '../../../src/database/connect.ts';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { TenantStore } from '../../../src/database/store/tenant-store.ts';
import { recordEvent } from '../../../src/events/record.ts';
import { AddressGuard } from '../../../src/net/address-guard.ts';
import { HttpClient } from '../../../src/net/http-client.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { WebhookPoller } from '../../../src/webhooks/sending/poller.ts';
import { sealSigningKey } from '../../../src/webhooks/signatures/signing-keys.ts';
import { createDatabase } from '../../support/databases.ts';
import { park } from '../../support/park.ts';
import { type Contestant, IN_FLIGHT, payloadOf, SIGNING_KEY } from './contestant.ts';

/** The number of webhooks of a backlog. Each may have eight requests in flight. */
const HOOKS = 50;
const TENANT = 'bench';

export interface Understudy extends Contestant {
  database: Database;
  store: TenantStore;
  record(store: TenantStore, n: number): Promise<void>;
}

export interface Conditions {
  /** Creates one webhook that is subscribed to the events of `send`. */
  isSubscribed?: boolean;
  /** Deliveries, over all webhooks, that are due on another day. */
  parked?: number;
  /** Webhooks that get every event as well, and whose endpoints do not respond. */
  deadUrls?: string[];
}

/**
 * Our webhook sender with everything on: history, fairness, circuit breakers, address guard, decrypted signing secrets.
 */
export async function understudy(
  url: string,
  postgresUrl: string | undefined,
  { isSubscribed = false, parked = 0, deadUrls = [] }: Conditions = {},
): Promise<Understudy> {
  const place = await createDatabase(postgresUrl ? 'postgres' : 'sqlite', postgresUrl ?? '');
  const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 10, isDirect: true };
  await migrate(settings);
  const database = connect(settings);
  const tenant = { id: TENANT, name: TENANT, isSuspended: false, settings: '{}', version: 0, createdAt: 0 };
  await database.write((db) => db('tenants').insert(tenant));
  const store = new TenantStore(database, TENANT);
  const secrets = new SecretBox(randomBytes(32));
  const client = new HttpClient({ guard: new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
  const poller = new WebhookPoller({
    database,
    client,
    secrets,
    logger: createLogger('error'),
    clock: Date.now,
    settings: {
      timeoutMs: 15_000,
      retryScheduleSeconds: undefined,
      perHookConcurrency: 8,
      concurrency: IN_FLIGHT,
      maxResponseBytes: 65_536,
      leaseMs: 30_000,
    },
  });

  async function addHook(url: string, event: string): Promise<string> {
    const id = newId();
    const signingKeyEncrypted = sealSigningKey(secrets, { tenantId: TENANT, id }, SIGNING_KEY);
    const fixed = { event: null, oldSigningKeys: [], enabled: true, goneCount: 0, createdAt: 0 };
    await store.add('hooks', [{ id, name: id, events: [event], config: { url }, signingKeyEncrypted, ...fixed }]);
    return id;
  }

  if (isSubscribed) await addHook(url, 'User.Data.Updated');

  const record = (store: TenantStore, n: number) => {
    const { data, event: _, createdAt: __, ...facts } = payloadOf(n);
    return recordEvent(store, 'User.Data.Updated', { data }, facts, Date.now());
  };

  const deadHooks: string[] = [];
  return {
    database,
    databaseUrl: place.url,
    store,
    record,
    /** Each event has its own body and goes to one of the webhooks, like the jobs of the other contestants. */
    async fill(count) {
      const hooks: string[] = [];
      for (let hook = 0; hook < HOOKS; hook += 1) hooks.push(await addHook(url, `Bench.${hook}`));
      for (const dead of deadUrls) deadHooks.push(await addHook(dead, 'Bench.Dead'));
      const now = Date.now();
      if (parked > 0) await park(database, TENANT, parked, now);
      for (let from = 0; from < count; from += 400) {
        const numbers = Array.from({ length: Math.min(400, count - from) }, (_, index) => from + index);
        const rows = numbers.map((n) => ({
          id: newOrderedId(now),
          type: 'User.Data.Updated',
          body: JSON.stringify(payloadOf(n)),
          occurredAt: now,
        }));
        await store.transaction(async (store) => {
          await store.add('events', rows);
          const state = { state: 'waiting', attempts: 0, trigger: 'schedule', dueAt: now, createdAt: now } as const;
          await store.add(
            'deliveries',
            rows.flatMap(({ id: eventId }, index) =>
              [hooks[(from + index) % HOOKS] ?? '', ...deadHooks].map((hookId) => ({
                id: newOrderedId(now),
                eventId,
                hookId,
                ...state,
              })),
            ),
          );
        });
      }
    },
    start: () => poller.start(),
    async unfinished() {
      const rows = database.reader('deliveries').where({ attempts: 0, trigger: 'schedule' });
      return rows
        .whereNotIn('hookId', deadHooks)
        .count({ count: '*' })
        .then(([row]) => Number(row?.count));
    },
    send: (n) => store.transaction((store) => record(store, n)),
    async [Symbol.asyncDispose]() {
      const stopped = poller.stop();
      await client.close(); // Ends the attempts at endpoints that do not respond.
      await stopped;
      await database.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
