import type { Database } from '../../database/database.ts';
import type { AttemptRow, DeliveryRow, HookRow } from '../../database/tables/index.ts';

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
