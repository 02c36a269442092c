import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/times.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Database } from '../database.ts';
import { snakeCase } from '../drivers/names.ts';
import { insertFromRecords, recordsOf } from '../statements/insert-many.ts';
import { prepared } from '../statements/prepared.ts';
import type { Row } from '../tables/index.ts';
import { addTo, type CountedMinute, FIGURES, NONE } from './figures.ts';

type FigureRow = Row<'figures'>;

/** Interval between writes. A `kill -9` loses at most this much of the figures, and none of the rows they count. */
export const WRITE_EVERY_MS = 2_000;

/**
 * Each count is added to a row of its minute and to one of its hour. The overview shows a day of minutes and a week of
 * hours; both are kept twice as long, because it compares with the previous period.
 */
export const WIDTHS = {
  minute: { widthMs: MINUTE_MS, keptMs: 2 * DAY_MS + HOUR_MS },
  hour: { widthMs: HOUR_MS, keptMs: 15 * DAY_MS },
} as const;

const COLUMNS = ['tenantId', 'widthMs', 'startsAt', 'expiresAt', ...FIGURES] as const satisfies (keyof FigureRow)[];

/** Ordered, so that two processes lock the rows in the same order. Skips tenants that were removed in the meantime. */
function upsertFor(kind: Database['kind']): string {
  const [tenantId, most] =
    kind === 'postgres' ? ['record.tenant_id', 'greatest'] : ["record.value ->> 'tenant_id'", 'max'];
  const changes = FIGURES.map(snakeCase).map((column) => {
    const [old, added] = [`figures.${column}`, `excluded.${column}`];
    return `${column} = ${column === 'backlog' ? `${most}(${old}, ${added})` : `${old} + ${added}`}`;
  });
  return `${insertFromRecords(kind, 'figures', COLUMNS)}
    where exists (select 1 from tenants where tenants.id = ${tenantId}) order by 1, 2, 3
    on conflict (tenant_id, width_ms, starts_at) do update set ${changes}`;
}

const UPSERTS = { sqlite: upsertFor('sqlite'), postgres: upsertFor('postgres') };

/** Merges the counts per row: a statement cannot change a row twice, and two minutes may be in the same hour. */
function rowsOf(minutes: readonly CountedMinute[]): FigureRow[] {
  const rows = new Map<string, FigureRow>();
  for (const { tenantId, startsAt: minute, counts } of minutes) {
    for (const { widthMs, keptMs } of Object.values(WIDTHS)) {
      const startsAt = minute - (minute % widthMs);
      const name = `${widthMs} ${startsAt} ${tenantId}`;
      const row = rows.get(name) ?? { tenantId, widthMs, startsAt, expiresAt: startsAt + keptMs, ...NONE };
      addTo(row, counts);
      rows.set(name, row);
    }
  }
  return [...rows.values()];
}

/** Adds counts to the figures in the database, in one statement. */
export async function writeFigures(database: Database, minutes: readonly CountedMinute[]): Promise<void> {
  if (minutes.length === 0) return;
  const records = recordsOf(database.kind, COLUMNS, rowsOf(minutes));
  await database.write((db) => prepared(db, UPSERTS[database.kind], [records]));
  for (const tenantId of new Set(minutes.map(({ tenantId }) => tenantId)))
    database.commits.announce(tenantId, new Set(['figures']));
}

/** Writes the counts of this process to the database, every two seconds and on close. */
export class FigureWriter {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.flush(), WRITE_EVERY_MS);
  }

  /** Writes all counts so far. After a failure they are kept for the next write. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  close(): Promise<void> {
    clearInterval(this.#timer);
    return this.flush();
  }

  async #write(): Promise<void> {
    const { figures } = this.#database;
    const minutes = figures.take();
    try {
      await writeFigures(this.#database, minutes);
    } catch (err) {
      this.#logger.warn({ err }, 'Could not write figures; retrying with the next write');
      for (const { tenantId, startsAt, counts } of minutes) figures.add(tenantId, startsAt, counts);
    }
  }
}
