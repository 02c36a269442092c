import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../database/database.ts';
import { type Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { ReplayRow } from '../../database/tables/index.ts';
import type { Logger } from '../../observe/logger.ts';
import { eventsToReplay, hookToDeliverTo, newDelivery, type ReplayFilter } from './replay.ts';

/** New deliveries of one webhook's replay at a step; with a step a second, its rate. */
const ROWS_PER_STEP = 100;
/** Steps between looks for replays that another process began and did not end. */
const LOOK_EVERY = 60;
/** Events found in one search. A search may read all deliveries of a webhook, so it has to last for many steps. */
const ROWS_AHEAD = 2_000;
/** Replays whose events are kept in memory; the others search again. */
const MAX_AHEAD = 100;

interface Ahead {
  /** Where the replay stands before the first of these events. */
  cursor: string | null;
  events: { id: string; occurredAt: number }[];
  /** No more events follow. */
  isLast: boolean;
}

const hookOf = ({ tenantId, hookId }: ReplayRow) => `${tenantId}/${hookId}`;
const keyOf = ({ tenantId, id }: ReplayRow) => `${tenantId}/${id}`;

/**
 * Carries replays on in the background, a hundred deliveries a second for each webhook, so that they never crowd out
 * what is new. Of several replays of one webhook the oldest runs first, and the others wait.
 */
export class ReplayWalk {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #ahead = new LRUCache<string, Ahead>({ max: MAX_AHEAD });
  #stepsUntilLook = 0;
  #stepping: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, logger: Logger) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** There is a new one. */
  wake(): void {
    this.#stepsUntilLook = 0;
  }

  /** Starts a step unless one is under way: a slow search delays no delivery, only other replays. */
  step(): void {
    this.#stepping ??= this.#step()
      .catch((error) => this.#logger.error({ err: error }, 'webhook replays could not go on'))
      .finally(() => {
        this.#stepping = undefined;
      });
  }

  async stop(): Promise<void> {
    await this.#stepping;
  }

  async #step(): Promise<void> {
    this.#stepsUntilLook -= 1;
    if (this.#stepsUntilLook >= 0) return;
    this.#stepsUntilLook = LOOK_EVERY;
    const running: ReplayRow[] = await this.#database
      .reader('replays')
      .where({ state: 'running' })
      .orderBy(['createdAt', 'id']);
    if (running.length > 0) this.#stepsUntilLook = 0;
    for (const [oldest] of Map.groupBy(running, hookOf).values()) {
      const replay = oldest as ReplayRow;
      await this.#advance(replay).catch((error) => {
        this.#ahead.delete(keyOf(replay)); // An event may have gone since the search.
        this.#logger.error({ err: error, replayId: replay.id }, 'a webhook replay could not go on');
      });
    }
  }

  /** The cursor moves in the transaction that makes the deliveries, so no kill skips or repeats an event. */
  async #advance(replay: ReplayRow): Promise<void> {
    const { tenantId, id, hookId, cursor, done } = replay;
    const store = new TenantStore(this.#database, tenantId);
    const ahead = await this.#eventsAhead(store, replay);
    const events = ahead.events.slice(0, ROWS_PER_STEP);
    const rest = ahead.events.slice(ROWS_PER_STEP);
    const last = events.at(-1);
    const next = {
      done: done + events.length,
      cursor: last ? `${last.occurredAt}:${last.id}` : cursor,
      state: ahead.isLast && rest.length === 0 ? ('done' as const) : ('running' as const),
    };
    await store.transaction(async (store) => {
      const hook = await hookToDeliverTo(store, hookId);
      if (!hook) return;
      const moved = await store.change('replays', { id, state: 'running', cursor }, next);
      if (moved === 0) return; // Cancelled, or another process was faster.
      const now = this.#clock();
      await store.add(
        'deliveries',
        events.map((event) => newDelivery(event.id, hook, 'replay', now)),
      );
    });
    this.#ahead.set(keyOf(replay), { cursor: next.cursor, events: rest, isLast: ahead.isLast });
  }

  /** Searched outside a transaction: on SQLite the search would keep every other write waiting. */
  async #eventsAhead(store: TenantStore, replay: ReplayRow): Promise<Ahead> {
    const { hookId, cursor, filter } = replay;
    const known = this.#ahead.get(keyOf(replay));
    if (known?.cursor === cursor && known.events.length > 0) return known;
    const events = (await eventsToReplay(store, hookId, filter as unknown as ReplayFilter)
      .modify(after(cursor))
      .orderBy([{ column: 'occurredAt' }, { column: 'id' }])
      .limit(ROWS_AHEAD)
      .select('id', 'occurredAt')) as Ahead['events'];
    return { cursor, events, isLast: events.length < ROWS_AHEAD };
  }
}

/** Events behind the cursor `<occurred at>:<event id>`, in the order of both. */
const after =
  (cursor: string | null): Condition =>
  (query) => {
    if (cursor === null) return;
    const [occurredAt, id] = cursor.split(':') as [string, string];
    query.whereRaw('(occurred_at, id) > (?, ?)', [Number(occurredAt), id]);
  };
