import { newOrderedId } from '../../../src/base/ids.ts';
import type { Database } from '../../../src/database/database.ts';
import { TenantStore } from '../../../src/database/store/tenant-store.ts';
import type { ManagementClient } from '../../support/call.ts';

/** A tenant may have 100. */
export const HOOKS = 80;
/** The deliveries of a backlog are due over this time. */
const DUE_WITHIN_MS = 10 * 60_000;
/** Events per statement: each has a delivery for every webhook. */
const EVENTS_AT_ONCE = 50;

/** Waiting deliveries of the default tenant to webhooks whose endpoints fail. */
export class Backlog {
  readonly #database: Database;
  readonly #api: ManagementClient;
  readonly #url: string;
  #hookIds: string[] = [];
  #count = 0;

  constructor(database: Database, api: ManagementClient, url: string) {
    this.#database = database;
    this.#api = api;
    this.#url = url;
  }

  /** Removes all, and creates new webhooks, for which the service has not seen a failure yet. */
  async clear(): Promise<void> {
    for (const table of ['deliveries', 'attempts', 'events'])
      await this.#database.write((db) => db(table).where({ tenantId: 'default' }).delete());
    await this.#database.write((db) => db('hooks').whereIn('id', this.#hookIds).delete());
    this.#count = 0;
    this.#hookIds = [];
    for (let index = 0; index < HOOKS; index += 1) {
      const name = `Failing ${index}`;
      const hook = await this.#api.must('POST /hooks', { name, events: ['Role.Created'], config: { url: this.#url } });
      this.#hookIds.push(hook.id);
    }
    await this.#settle();
  }

  async growTo(count: number): Promise<void> {
    const now = Date.now();
    const store = new TenantStore(this.#database, 'default');
    while (this.#count < count) {
      const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({
        id: newOrderedId(now),
        type: 'Role.Created',
        body: JSON.stringify({ event: 'Role.Created', createdAt: new Date(now).toISOString(), data: { name: 'Role' } }),
        occurredAt: now,
      }));
      await store.transaction(async (store) => {
        await store.add('events', events);
        await store.add(
          'deliveries',
          events.flatMap(({ id: eventId }) =>
            this.#hookIds.map((hookId) => ({
              id: newOrderedId(now),
              eventId,
              hookId,
              state: 'waiting' as const,
              dueAt: now + Math.floor(Math.random() * DUE_WITHIN_MS),
              attempts: 1,
              lastStatus: 503,
              createdAt: now,
            })),
          ),
        );
      });
      this.#count += EVENTS_AT_ONCE * HOOKS;
    }
    await this.#settle();
  }

  /** Does what autovacuum and later checkpoints do, so that only the backlog is measured. */
  async #settle(): Promise<void> {
    const statements = { postgres: ['vacuum analyze', 'checkpoint'], sqlite: ['pragma wal_checkpoint(passive)'] };
    for (const statement of statements[this.#database.kind]) await this.#database.write((db) => db.raw(statement));
  }
}
