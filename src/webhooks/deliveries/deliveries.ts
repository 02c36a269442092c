import type { Database } from '../../database/database.ts';
import * as postgres from './postgres.ts';
import * as sqlite from './sqlite.ts';
import type { ClaimedDelivery, HookKey, HookRoom, Settlement, Statements } from './statements.ts';

/**
 * The rows that wait, seen by one process: it claims some under a lease in its own name, and settles
 * only what it still holds. Whoever was killed, its rows wait again once their lease has ended.
 */
export class Deliveries {
  readonly #database: Database;
  readonly #statements: Statements;
  readonly #owner: string;

  constructor(database: Database, owner: string) {
    this.#database = database;
    this.#statements = database.kind === 'postgres' ? postgres : sqlite;
    this.#owner = owner;
  }

  /**
   * Hooks that have a due row, of one tenant or of all: a hop per hook through the index, however many
   * rows wait. A row whose holder did not settle in time is due again.
   */
  dueHooks(now: number, tenantId?: string): Promise<HookKey[]> {
    return this.#statements.dueHooks(this.#database, now, tenantId);
  }

  /** Takes the rows longest due, up to each hook's room, also those whose lease has ended. No two processes take the same. */
  async claim(rooms: HookRoom[], now: number, leaseUntil: number): Promise<ClaimedDelivery[]> {
    const rows = await this.#statements.claim(this.#database, rooms, { owner: this.#owner, now, leaseUntil });
    const hooks = new Map(rows.flatMap(({ hook }) => (hook ? [[`${hook.tenantId}/${hook.id}`, hook]] : [])));
    return rows.flatMap((row) => {
      const hook = hooks.get(`${row.tenantId}/${row.hookId}`);
      return hook ? [{ ...row, hook, leaseUntil }] : [];
    });
  }

  /** In one commit. Rows that are no longer held under our lease stay as they are, attempts included. */
  settle(settlements: Settlement[]): Promise<void> {
    return this.#statements.settle(this.#database, settlements, this.#owner);
  }

  /** For the start of SQLite's only process: whoever held a lease is gone. @returns how many leases there were */
  freeAll(): Promise<number> {
    const free = { state: 'waiting', leaseOwner: null, leaseUntil: null };
    return this.#database.write((db) =>
      db('deliveries').whereNotNull('dueAt').where({ state: 'delivering' }).update(free),
    );
  }
}
