import { randomBytes } from 'node:crypto';
import { newId } from '../../src/base/ids.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import type { DeliveryRow, HookRow } from '../../src/database/tables/index.ts';
import { recordEvent } from '../../src/events/record.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { HttpClient } from '../../src/net/http-client.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { sqliteViews } from '../../src/service/sqlite-views.ts';
import { type PollerSettings, WebhookPoller } from '../../src/webhooks/sending/poller.ts';
import { sealSigningKey } from '../../src/webhooks/signatures/signing-keys.ts';
import { createDatabase, type DatabaseKind } from '../support/databases.ts';

export const SIGNING_KEY = 'k4Vb0wJ8sQ2mXr7TzLp5Yc1NdEa9HfGu';

const SETTINGS = {
  timeoutMs: 10_000,
  retryScheduleSeconds: [0, 0, 0, 0, 0, 0],
  perHookConcurrency: 8,
  concurrency: 64,
  maxResponseBytes: 65_536,
  leaseMs: 30_000,
};

/** The outbound side alone, on a database of its own: hooks and events go in, requests come out. */
export class Stage {
  readonly secrets = new SecretBox(randomBytes(32));
  readonly database: Database;
  readonly store: TenantStore;
  readonly url: string | undefined;
  readonly #ends: (() => Promise<unknown>)[];

  private constructor(database: Database, url: string | undefined, ends: (() => Promise<unknown>)[]) {
    this.database = database;
    this.store = new TenantStore(database, 'default');
    this.url = url;
    this.#ends = ends;
  }

  static async open(kind: DatabaseKind): Promise<Stage> {
    const place = await createDatabase(kind);
    const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 5 };
    await migrate(settings);
    const database = connect(settings, { sqliteViews });
    const tenant = { id: 'default', name: 'Default', isSuspended: false, settings: '{}', version: 0, createdAt: 0 };
    await database.write((db) => db('tenants').insert(tenant));
    return new Stage(database, place.url, [() => database.close(), async () => place[Symbol.asyncDispose]()]);
  }

  /** A poller, as one process has it; stopped with the stage. */
  async poller(settings: Partial<PollerSettings> = {}, clock = Date.now): Promise<WebhookPoller> {
    const client = new HttpClient({ guard: new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
    const poller = new WebhookPoller({
      database: this.database,
      client,
      secrets: this.secrets,
      logger: createLogger('error'),
      settings: { ...SETTINGS, ...settings },
      clock,
    });
    this.#ends.unshift(
      () => poller.stop(),
      () => client.close(),
    );
    await poller.start();
    return poller;
  }

  async hook(url: string, fields: Partial<HookRow> = {}): Promise<string> {
    const id = newId();
    await this.store.add('hooks', [
      {
        id,
        name: 'hook',
        event: null,
        events: ['User.Created'],
        config: { url },
        signingKeyEncrypted: sealSigningKey(this.secrets, { tenantId: 'default', id }, SIGNING_KEY),
        oldSigningKeys: [],
        enabled: true,
        goneCount: 0,
        createdAt: Date.now(),
        ...fields,
      },
    ]);
    return id;
  }

  /** Events in one transaction, as an operation announces them; `n` numbers them in `data`. */
  async announce(count = 1, type: 'User.Created' | 'User.Deleted' = 'User.Created', now = Date.now()): Promise<void> {
    await this.store.transaction(async (store) => {
      for (let n = 0; n < count; n += 1) await recordEvent(store, type, { data: { n } }, {}, now);
    });
  }

  /** The deliveries, once they are as wanted. */
  async deliveries(isWanted: (rows: DeliveryRow[]) => boolean): Promise<DeliveryRow[]> {
    return until(() => this.store.from('deliveries').orderBy('createdAt') as Promise<DeliveryRow[]>, isWanted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

/** Looks until what it sees is as wanted. */
export async function until<T>(
  look: () => Promise<T>,
  isWanted: (seen: T) => boolean,
  patienceMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isWanted(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`still not so: ${JSON.stringify(seen).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
