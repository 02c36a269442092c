import { randomBytes } from 'node:crypto';
import { newId } from '../../src/base/ids.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import type { DeliveryRow, HookRow } from '../../src/database/tables/index.ts';
import { recordEvent } from '../../src/events/record.ts';
import { AddressGuard } from '../../src/net/address-guard.ts';
import { HttpClient } from '../../src/net/http-client.ts';
import { createLogger } from '../../src/observe/logger.ts';
import { type PollerSettings, WebhookPoller } from '../../src/webhooks/sending/poller.ts';
import { sealSigningKey } from '../../src/webhooks/signatures/signing-keys.ts';
import { createMigrated, type DatabaseKind } from '../support/databases.ts';

export const SIGNING_KEY = 'k4Vb0wJ8sQ2mXr7TzLp5Yc1NdEa9HfGu';

const SETTINGS = {
  timeoutMs: 10_000,
  retryScheduleSeconds: [0, 0, 0, 0, 0, 0],
  perHookConcurrency: 8,
  concurrency: 64,
  maxResponseBytes: 65_536,
  leaseMs: 30_000,
};

/** The webhook poller without the rest of the service, on a database of its own. */
export class PollerHarness {
  readonly secrets = new SecretBox(randomBytes(32));
  readonly database: Database;
  readonly store: TenantStore;
  readonly url: string | undefined;
  readonly #cleanups: (() => Promise<unknown>)[];

  private constructor(database: Database, url: string | undefined, cleanups: (() => Promise<unknown>)[]) {
    this.database = database;
    this.store = new TenantStore(database, 'default');
    this.url = url;
    this.#cleanups = cleanups;
  }

  static async open(kind: DatabaseKind): Promise<PollerHarness> {
    const files = await createMigrated(kind);
    const settings = { databaseUrl: files.url, dataDir: files.dataDir, poolSize: 5 };
    const database = connect(settings);
    const tenant = { id: 'default', name: 'Default', isSuspended: false, settings: '{}', version: 0, createdAt: 0 };
    await database.write((db) => db('tenants').insert(tenant));
    return new PollerHarness(database, files.url, [() => database.close(), async () => files[Symbol.asyncDispose]()]);
  }

  /** Starts a poller, as a process has one. Disposing of this object stops it. */
  async poller(settings: Partial<PollerSettings> = {}, clock = Date.now): Promise<WebhookPoller> {
    const poller = this.newPoller(settings, clock);
    await poller.start();
    return poller;
  }

  /** Creates a poller and does not start it. */
  newPoller(settings: Partial<PollerSettings> = {}, clock = Date.now): WebhookPoller {
    const client = new HttpClient({ guard: new AddressGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
    const poller = new WebhookPoller({
      database: this.database,
      client,
      secrets: this.secrets,
      logger: createLogger('error'),
      settings: { ...SETTINGS, ...settings },
      clock,
    });
    this.#cleanups.unshift(
      () => poller.stop(),
      () => client.close(),
    );
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

  /** Records events in one transaction, as an operation does. `data.n` is their number. */
  async announce(count = 1, type: 'User.Created' | 'User.Deleted' = 'User.Created', now = Date.now()): Promise<void> {
    await this.store.transaction(async (store) => {
      for (let n = 0; n < count; n += 1) await recordEvent(store, type, { data: { n } }, {}, now);
    });
  }

  /** Waits until the deliveries satisfy the condition, and returns them. */
  async deliveries(isDone: (rows: DeliveryRow[]) => boolean): Promise<DeliveryRow[]> {
    return until(() => this.store.from('deliveries').orderBy('createdAt') as Promise<DeliveryRow[]>, isDone);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cleanup of this.#cleanups) await cleanup();
  }
}

/** Repeats `read` until its result satisfies the condition, and returns it. */
export async function until<T>(
  read: () => Promise<T>,
  isDone: (current: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const current = await read();
    if (isDone(current)) return current;
    if (performance.now() > deadline)
      throw new Error(`Timed out waiting; last current: ${JSON.stringify(current).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
