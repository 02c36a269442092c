import { newId } from '../base/ids.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../observe/logger.ts';

/** How long the work of a leader that died waits for another one, at most, with one renewal on top. */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const NAME = 'jobs';

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Mine already, over, or of a time to come: the clock of the database went back. */
const TAKE = `insert into leases (name, holder, expires_at) values (?, ?, ${NOW} + ?)
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
  where leases.holder = excluded.holder or leases.expires_at <= ${NOW} or leases.expires_at > excluded.expires_at
  returning name`;

/**
 * One of the processes on a PostgreSQL at a time, by a lease that it renews; SQLite has one process, which leads.
 * Only the clock of the database decides, and of its own a process only asks how long ago it was given the lease: one
 * that was paused, or cut off, knows by itself that it leads no more. A process that stops gives the lease back.
 *
 * The loser, an advisory lock, lives in a session: a pooler gives it to whoever comes next.
 */
export class Leader {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #holder = newId();
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #wasLeading = false;
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> | undefined;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  get isLeading(): boolean {
    return this.#database.kind === 'sqlite' || performance.now() < this.#leadsUntil;
  }

  async start(): Promise<void> {
    if (this.#database.kind === 'sqlite') return;
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
    await this.#renew();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#taking;
    if (this.#database.kind === 'sqlite' || !this.isLeading) return;
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    const own = { name: NAME, holder: this.#holder };
    await this.#database
      .write((db) => db('leases').where(own).delete())
      .catch((err) => this.#logger.warn({ err }, 'the lease of the scheduled work was not given back; it will end'));
  }

  /** One at a time: a database that is slow to answer is not asked again meanwhile. */
  #renew(): Promise<void> {
    this.#taking ??= this.#take()
      .catch((err) => this.#logger.warn({ err }, 'the lease of the scheduled work could not be renewed'))
      .finally(() => {
        this.#taking = undefined;
        if (this.isLeading !== this.#wasLeading)
          this.#logger.info(this.isLeading ? 'leads the scheduled work' : 'leads the scheduled work no more');
        this.#wasLeading = this.isLeading;
      });
    return this.#taking;
  }

  async #take(): Promise<void> {
    const askedAt = performance.now();
    const rows: unknown = await this.#database.write((db) => db.raw(TAKE, [NAME, this.#holder, LEASE_MS]));
    const isMine = (rows as unknown[]).length > 0;
    this.#leadsUntil = isMine ? askedAt + LEASE_MS : Number.NEGATIVE_INFINITY;
  }
}
