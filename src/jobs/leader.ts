import { newId } from '../base/ids.ts';
import type { Database } from '../database/database.ts';
import { prepared } from '../database/statements/prepared.ts';
import type { Logger } from '../observe/logger.ts';

/** Duration of the lease. If the leader dies, another process takes over after at most this plus one `RENEW_MS`. */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const LEASE_NAME = 'jobs';

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Succeeds if this process holds the lease, or it expired, or it lies in the future: the database's clock went back. */
const ACQUIRE = `insert into leases (name, holder, expires_at) values (?, ?, ${NOW} + ?)
  on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
  where leases.holder = excluded.holder or leases.expires_at <= ${NOW} or leases.expires_at > excluded.expires_at
  returning name`;

/**
 * Elects one leader among the processes on a PostgreSQL database, by a lease that the leader renews. On SQLite the only
 * process leads. Expiry is decided by the database's clock; a process uses its own only to measure how long ago it
 * requested the lease. So a process that was paused or disconnected knows by itself that it no longer leads. A process
 * that stops releases the lease.
 *
 * Rejected: an advisory lock. It belongs to a session, and a pooler hands the session to another process.
 */
export class Leader {
  readonly #database: Database;
  readonly #logger: Logger;
  readonly #holder = newId();
  /** On the clock of `performance.now()`. */
  #leadsUntil: number;
  #wasLeading = false;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> | undefined;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    this.#leadsUntil = database.kind === 'sqlite' ? Infinity : -Infinity;
  }

  get isLeading(): boolean {
    return performance.now() < this.#leadsUntil;
  }

  async start(): Promise<void> {
    if (this.isLeading) return;
    this.#timer = setInterval(() => void this.#renew(), RENEW_MS);
    await this.#renew();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewal;
    if (!this.#timer || !this.isLeading) return;
    this.#leadsUntil = -Infinity;
    const own = { name: LEASE_NAME, holder: this.#holder };
    await this.#database
      .write((db) => db('leases').where(own).delete())
      .catch((err) => this.#logger.warn({ err }, 'Could not release the scheduler lease; it will expire'));
  }

  /** Runs one renewal at a time: while the database is slow to respond, no further request is sent. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#acquire()
      .catch((err) => this.#logger.warn({ err }, 'Could not renew the scheduler lease'))
      .finally(() => {
        this.#renewal = undefined;
        if (this.isLeading !== this.#wasLeading)
          this.#logger.info(
            this.isLeading
              ? 'This process now runs the scheduled jobs'
              : 'This process no longer runs the scheduled jobs',
          );
        this.#wasLeading = this.isLeading;
      });
    return this.#renewal;
  }

  async #acquire(): Promise<void> {
    const requestedAt = performance.now();
    const rows = await this.#database.write((db) => prepared(db, ACQUIRE, [LEASE_NAME, this.#holder, LEASE_MS]));
    this.#leadsUntil = rows.length > 0 ? requestedAt + LEASE_MS : -Infinity;
  }
}
