import type { Database } from '../../database/database.ts';
import type { AttemptRow, DeliveryRow, HookRow } from '../../database/tables/index.ts';
import type { SettledState } from './state.ts';

export interface HookKey {
  tenantId: string;
  hookId: string;
}

/** A webhook, and how many of its rows to claim. */
export interface HookRoom extends HookKey {
  room: number;
}

/** The columns of a webhook that an attempt needs. */
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

/** A claimed delivery with everything an attempt needs, read at the same time. */
export interface ClaimedDelivery
  extends Pick<
    DeliveryRow,
    'tenantId' | 'id' | 'eventId' | 'hookId' | 'attempts' | 'trigger' | 'timesDisabled' | 'createdAt'
  > {
  eventType: string;
  body: string;
  /** Shared by all rows of a claim. */
  hook: ClaimedHook;
  leaseUntil: number;
  /** True if another process held the row and its lease expired. */
  wasLeased: boolean;
}

/** The columns of an attempt that the database does not copy from its delivery. */
export type SettledAttempt = Omit<
  AttemptRow,
  'tenantId' | 'deliveryId' | 'eventId' | 'hookId' | 'number' | 'trigger' | 'isSuccess'
>;

/** The result for a claimed delivery. Delivered rows are deleted; their attempts remain. */
export interface Settlement extends Pick<DeliveryRow, 'tenantId' | 'id' | 'hookId'> {
  state: SettledState;
  /** Undefined leaves it unchanged. */
  dueAt?: number | undefined;
  /** Undefined if the row is released without an attempt. */
  attempt?: SettledAttempt | undefined;
}

export type Connections = Pick<Database, 'reader' | 'byKey'>;

export interface Claim {
  owner: string;
  now: number;
  leaseUntil: number;
}

/** A row of a claim's result: either a delivery, or (once per webhook) only `hook`. */
export type ClaimedRow = Omit<ClaimedDelivery, 'hook' | 'leaseUntil'> & { hook: ClaimedHook | null };

/** The statements that differ between SQLite and PostgreSQL. Rows are returned in camelCase. */
export interface Statements {
  dueHooks(database: Connections, now: number, tenantId: string | undefined): Promise<HookKey[]>;
  claim(database: Connections, rooms: HookRoom[], claim: Claim): Promise<ClaimedRow[]>;
  settle(database: Connections, settlements: Settlement[], owner: string): Promise<void>;
}
