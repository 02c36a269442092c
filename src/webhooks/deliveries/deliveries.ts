import type { Database } from '../../database/database.ts';
import { type ClaimedDelivery, claim, type HookRoom } from './claim.ts';
import { dueHooks, type HookKey } from './due.ts';
import { type Settlement, settle } from './settle.ts';

/**
 * The delivery queue. A process claims rows under a lease in its own name, and settles only rows it still holds. If a
 * process is killed, its rows become free when their lease expires.
 */
export class Deliveries {
  readonly #database: Database;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#owner = owner;
  }

  /**
   * Returns the webhooks that have a due row, of one tenant or of all. Costs one index lookup per webhook, regardless
   * of the number of rows. A row whose lease expired counts as due.
   */
  dueHooks(now: number, tenantId?: string): Promise<HookKey[]> {
    return dueHooks[this.#database.kind](this.#database, now, tenantId);
  }

  /** Claims the rows due longest, up to each webhook's room. No row is claimed by two processes at once. */
  async claim(rooms: HookRoom[], now: number, leaseUntil: number): Promise<ClaimedDelivery[]> {
    const database = this.#database;
    const rows = await claim[database.kind](database, rooms, { owner: this.#owner, now, leaseUntil });
    const hooks = new Map(rows.flatMap(({ hook }) => (hook ? [[`${hook.tenantId}/${hook.id}`, hook]] : [])));
    return rows.flatMap((row) => {
      if (row.hook) return [];
      const hook = hooks.get(`${row.tenantId}/${row.hookId}`);
      return hook ? [{ ...row, hook, leaseUntil }] : [];
    });
  }

  /** Writes all settlements in one commit. Skips rows that this process no longer holds, including their attempts. */
  async settle(settlements: Settlement[]): Promise<void> {
    await settle[this.#database.kind](this.#database, settlements, this.#owner);
  }

  /** Frees all leases, only at the start of SQLite's single process: their holder is gone. @returns their number */
  freeAll(): Promise<number> {
    const free = { state: 'waiting', leaseOwner: null, leaseUntil: null };
    return this.#database.write((db) =>
      db('deliveries').whereNotNull('dueAt').where({ state: 'delivering' }).update(free),
    );
  }
}
