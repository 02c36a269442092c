import type { Clock } from '../clock.ts';
import type { Database } from '../database/connect.ts';
import type { ReplayRow } from '../database/tables.ts';
import { type Condition, TenantStore } from '../database/tenant-store.ts';
import { eventsToReplay, newDelivery, type ReplayFilter } from './replay.ts';

/** New deliveries of one replay at a step; with a step a second, its rate. */
const ROWS_PER_STEP = 100;
/** Steps between looks for replays that another process began and did not end. */
const LOOK_EVERY = 60;

/** Carries replays on in the background, a hundred deliveries a second each, so that they never crowd out what is new. */
export class ReplayWalk {
  readonly #database: Database;
  readonly #clock: Clock;
  #stepsUntilLook = 0;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** There is a new one. */
  wake(): void {
    this.#stepsUntilLook = 0;
  }

  async step(): Promise<void> {
    this.#stepsUntilLook -= 1;
    if (this.#stepsUntilLook >= 0) return;
    const running: ReplayRow[] = await this.#database.reader('replays').where({ state: 'running' });
    for (const replay of running) await this.#advance(replay);
    this.#stepsUntilLook = running.length > 0 ? 0 : LOOK_EVERY;
  }

  /** The cursor moves in the transaction that makes the deliveries, so no kill skips or repeats an event. */
  async #advance({ tenantId, id, hookId, cursor, done, filter }: ReplayRow): Promise<void> {
    await new TenantStore(this.#database, tenantId).transaction(async (store) => {
      const events = await eventsToReplay(store, hookId, filter as unknown as ReplayFilter)
        .modify(after(cursor))
        .orderBy([{ column: 'occurredAt' }, { column: 'id' }])
        .limit(ROWS_PER_STEP)
        .select('id', 'occurredAt');
      const last = events.at(-1);
      const moved = await store.change(
        'replays',
        { id, state: 'running', cursor },
        {
          done: done + events.length,
          cursor: last ? `${last.occurredAt}:${last.id}` : cursor,
          state: events.length < ROWS_PER_STEP ? 'done' : 'running',
        },
      );
      if (moved === 0) return; // Cancelled, or another process was faster.
      const now = this.#clock();
      await store.add(
        'deliveries',
        (events as { id: string }[]).map((event) => newDelivery(event.id, hookId, 'replay', now)),
      );
    });
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
