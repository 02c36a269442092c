import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../database/connect.ts';
import { type Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { ReplayRow } from '../../database/tables/index.ts';
import type { Logger } from '../../observe/logger.ts';
import { eventsToReplay, hookToDeliverTo, newDelivery, type ReplayFilter } from './replay.ts';

/** Deliveries that a webhook's replay creates per step, which is per second. */
const ROWS_PER_STEP = 100;
/** Steps between searches for replays that another process started and did not finish. */
const LOOK_EVERY = 60;
/** Events per search. A search may read all deliveries of a webhook, so its result serves many steps. */
const ROWS_AHEAD = 2_000;
/** Replays whose next events are kept in memory. Others search again at each step. */
const MAX_AHEAD = 100;

interface Ahead {
  /** Position of the replay before the first of these events. */
  cursor: string | null;
  events: { id: string; occurredAt: number }[];
  /** No more events follow. */
  isLast: boolean;
}

const hookOf = ({ tenantId, hookId }: ReplayRow) => `${tenantId}/${hookId}`;
const keyOf = ({ tenantId, id }: ReplayRow) => `${tenantId}/${id}`;

/**
 * Runs replays in the background, at 100 deliveries per second and webhook so that they do not crowd out new events. If
 * a webhook has several replays, the oldest runs first.
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

  /** Makes the next step search for replays. */
  wake(): void {
    this.#stepsUntilLook = 0;
  }

  /** Starts a step unless one is running. A slow search delays only other replays, no deliveries. */
  step(): void {
    this.#stepping ??= this.#step()
      .catch((error) => this.#logger.error({ err: error }, 'Webhook replays failed; retrying'))
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
        this.#ahead.delete(keyOf(replay)); // An event may have been deleted since the search.
        this.#logger.error({ err: error, replayId: replay.id }, 'Webhook replay failed; retrying');
      });
    }
  }

  /** The cursor moves in the transaction that creates the deliveries, so a crash neither skips nor repeats an event. */
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

  /** Searches outside a transaction: on SQLite the search would make every other write wait. */
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

/** Condition "after the cursor", which is `<occurred at>:<event id>`. */
const after =
  (cursor: string | null): Condition =>
  (query) => {
    if (cursor === null) return;
    const [occurredAt, id] = cursor.split(':') as [string, string];
    query.whereRaw('(occurred_at, id) > (?, ?)', [Number(occurredAt), id]);
  };
