import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../database/database.ts';
import { type Condition, TenantStore } from '../../database/store/tenant-store.ts';
import type { ReplayRow } from '../../database/tables/index.ts';
import type { Logger } from '../../observe/logger.ts';
import { eventsToReplay, lockHookForDelivery, newDelivery } from './replay.ts';

/** Deliveries that a webhook's replay creates per step. A step runs every second. */
const ROWS_PER_STEP = 100;
/** Steps between searches for replays that another process started and did not finish. */
const STEPS_PER_SEARCH = 60;
/** Events per search. A search may read all deliveries of a webhook, so its result serves many steps. */
const EVENTS_PER_SEARCH = 2_000;
/** Replays whose next events are kept in memory. Others search again at each step. */
const MAX_UPCOMING = 100;

interface UpcomingEvents {
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
export class ReplayWorker {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #upcoming = new LRUCache<string, UpcomingEvents>({ max: MAX_UPCOMING });
  #stepsUntilSearch = 0;
  #stepping: Promise<void> | undefined;

  constructor(database: Database, clock: Clock, logger: Logger) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Makes the next step search for replays. */
  wake(): void {
    this.#stepsUntilSearch = 0;
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
    this.#stepsUntilSearch -= 1;
    if (this.#stepsUntilSearch >= 0) return;
    this.#stepsUntilSearch = STEPS_PER_SEARCH;
    const running: ReplayRow[] = await this.#database
      .reader('replays')
      .where({ state: 'running' })
      .orderBy(['createdAt', 'id']);
    if (running.length > 0) this.#stepsUntilSearch = 0;
    for (const [oldest] of Map.groupBy(running, hookOf).values()) {
      const replay = oldest as ReplayRow;
      await this.#advance(replay).catch((error) => {
        this.#upcoming.delete(keyOf(replay)); // An event may have been deleted since the search.
        this.#logger.error({ err: error, replayId: replay.id }, 'Webhook replay failed; retrying');
      });
    }
  }

  /** The cursor moves in the transaction that creates the deliveries, so a crash neither skips nor repeats an event. */
  async #advance(replay: ReplayRow): Promise<void> {
    const { tenantId, id, hookId, cursor, done } = replay;
    const store = new TenantStore(this.#database, tenantId);
    const upcoming = await this.#findUpcoming(store, replay);
    const events = upcoming.events.slice(0, ROWS_PER_STEP);
    const rest = upcoming.events.slice(ROWS_PER_STEP);
    const last = events.at(-1);
    const next = {
      done: done + events.length,
      cursor: last ? `${last.occurredAt}:${last.id}` : cursor,
      state: upcoming.isLast && rest.length === 0 ? ('done' as const) : ('running' as const),
    };
    await store.transaction(async (store) => {
      const hook = await lockHookForDelivery(store, hookId);
      if (!hook) return;
      const moved = await store.change('replays', { id, state: 'running', cursor }, next);
      if (moved === 0) return; // Cancelled, or another process was faster.
      const now = this.#clock();
      await store.add(
        'deliveries',
        events.map((event) => newDelivery(event.id, hook, 'replay', now)),
      );
    });
    this.#upcoming.set(keyOf(replay), { cursor: next.cursor, events: rest, isLast: upcoming.isLast });
  }

  /** Searches outside a transaction: on SQLite the search would make every other write wait. */
  async #findUpcoming(store: TenantStore, replay: ReplayRow): Promise<UpcomingEvents> {
    const { hookId, cursor, filter } = replay;
    const cached = this.#upcoming.get(keyOf(replay));
    if (cached?.cursor === cursor && cached.events.length > 0) return cached;
    const events = (await eventsToReplay(store, hookId, filter)
      .modify(after(cursor))
      .orderBy([{ column: 'occurredAt' }, { column: 'id' }])
      .limit(EVENTS_PER_SEARCH)
      .select('id', 'occurredAt')) as UpcomingEvents['events'];
    return { cursor, events, isLast: events.length < EVENTS_PER_SEARCH };
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
