import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/times.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Database } from '../database.ts';
import { snakeCase } from '../drivers/names.ts';
import { addTo, type CountedMinute, type Counts, FIGURES, type Figure } from './figures.ts';

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

const KEY = ['tenant_id', 'width_ms', 'starts_at'];
const COLUMNS = [...KEY, 'expires_at', ...FIGURES.map(snakeCase)];

function upsertFor(kind: Database['kind']): string {
  const source =
    kind === 'postgres'
      ? 'json_populate_recordset(null::figures, ?) as counted'
      : `(select ${COLUMNS.map((column) => `value ->> '${column}' as ${column}`)} from json_each(?)) as counted`;
  const most = kind === 'postgres' ? 'greatest' : 'max';
  const change = (figure: Figure) => {
    const [old, added] = [`figures.${snakeCase(figure)}`, `excluded.${snakeCase(figure)}`];
    return `${snakeCase(figure)} = ${figure === 'backlog' ? `${most}(${old}, ${added})` : `${old} + ${added}`}`;
  };
  // Ordered, so that two processes lock the rows in the same order. Skips tenants that were removed in the meantime.
  return `insert into figures (${COLUMNS}) select ${COLUMNS} from ${source}
    where exists (select 1 from tenants where tenants.id = counted.tenant_id) order by ${KEY}
    on conflict (${KEY}) do update set ${FIGURES.map(change)}`;
}

const UPSERTS = { sqlite: upsertFor('sqlite'), postgres: upsertFor('postgres') };

/** Merges the counts per row: a statement cannot change a row twice, and two minutes may be in the same hour. */
function rowsOf(minutes: readonly CountedMinute[]): Record<string, unknown>[] {
  const rows = new Map<string, { key: Record<string, unknown>; counts: Counts }>();
  for (const { tenantId, startsAt: minute, counts } of minutes) {
    for (const { widthMs, keptMs } of Object.values(WIDTHS)) {
      const startsAt = minute - (minute % widthMs);
      const name = `${widthMs} ${startsAt} ${tenantId}`;
      const key = { tenant_id: tenantId, width_ms: widthMs, starts_at: startsAt, expires_at: startsAt + keptMs };
      const row = rows.get(name) ?? { key, counts: {} };
      addTo(row.counts, counts);
      rows.set(name, row);
    }
  }
  return [...rows.values()].map(({ key, counts }) => ({
    ...key,
    ...Object.fromEntries(FIGURES.map((figure) => [snakeCase(figure), counts[figure] ?? 0])),
  }));
}

/** Adds counts to the figures in the database, in one statement. */
export async function writeFigures(database: Database, minutes: readonly CountedMinute[]): Promise<void> {
  if (minutes.length === 0) return;
  await database.write(async (db) => db.raw(UPSERTS[database.kind], [JSON.stringify(rowsOf(minutes))]));
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
