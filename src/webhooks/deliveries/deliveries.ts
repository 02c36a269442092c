import type { Database } from '../../database/connect.ts';
import type { AttemptRow, DeliveryRow, HookRow } from '../../database/tables/index.ts';
import * as postgres from './postgres.ts';
import * as sqlite from './sqlite.ts';

export interface HookKey {
  tenantId: string;
  hookId: string;
}

/** How many rows may be taken for this hook. */
export interface HookRoom extends HookKey {
  room: number;
}

/** What an attempt needs of its hook. */
export type ClaimedHook = Pick<
  HookRow,
  | 'tenantId'
  | 'id'
  | 'config'
  | 'headersEncrypted'
  | 'signingKeyEncrypted'
  | 'oldSigningKeys'
  | 'enabled'
  | 'failingSince'
  | 'goneCount'
  | 'timesDisabled'
>;

/** A claimed row with all that an attempt needs, read in the same moment. */
export interface ClaimedDelivery
  extends Pick<
    DeliveryRow,
    'tenantId' | 'id' | 'eventId' | 'hookId' | 'attempts' | 'trigger' | 'timesDisabled' | 'createdAt'
  > {
  eventType: string;
  body: string;
  /** One for all rows of a claim. */
  hook: ClaimedHook;
  leaseUntil: number;
  /** By a process that did not settle it in time. */
  wasLeased: boolean;
}

/** What becomes of a claimed row; delivered ones leave the table and live on in their attempts. */
export interface Settlement extends Pick<DeliveryRow, 'tenantId' | 'id' | 'hookId'> {
  state: 'delivered' | 'waiting' | 'dead' | 'cancelled';
  /** Undefined: unchanged. */
  dueAt?: number | undefined;
  /** The attempt that was made; none when the row is given back untried. */
  attempt?: AttemptRow | undefined;
}

export type Connections = Pick<Database, 'reader' | 'byKey'>;

export interface Claim {
  owner: string;
  now: number;
  leaseUntil: number;
}

/** What a claim reads: its deliveries, and each of its hooks once, in a row that holds nothing else. */
export type ClaimedRow = Omit<ClaimedDelivery, 'hook' | 'leaseUntil'> & { hook: ClaimedHook | null };

/** The statements that the two databases spell differently. Rows come back in camelCase. */
export interface Statements {
  dueHooks(database: Connections, now: number, tenantId: string | undefined): Promise<HookKey[]>;
  claim(database: Connections, rooms: HookRoom[], claim: Claim): Promise<ClaimedRow[]>;
  settle(database: Connections, settlements: Settlement[], owner: string): Promise<void>;
}

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
