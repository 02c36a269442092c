import pg from 'pg';
import type { Logger } from '../../observe/logger.ts';
import type { Commits, Written } from './commits.ts';

const CHANNEL = 'understudy_commits';
/** A commit with `notify` takes a global lock, so notices are combined and sent outside other transactions. */
const COALESCE_MS = 20;
/** PostgreSQL's limit is 8,000 bytes. A tenant with all its tables needs less than 1,000. */
const MAX_PAYLOAD_BYTES = 7_000;
const RECONNECT_MS = 1_000;
/** Interval of the heartbeat that detects a dead connection. */
const HEARTBEAT_MS = 10_000;
const TIMEOUT_MS = 5_000;

export interface NoticesOptions {
  /** A direct connection: a pooler that assigns connections per transaction does not deliver notices. */
  databaseUrl: string;
  commits: Commits;
  /** Tables whose writes are announced to other processes. */
  tables: readonly Written[];
  logger: Logger;
}

/**
 * Connects the `Commits` of all processes on one PostgreSQL database, on a connection of its own: a write in one
 * process is announced to the others within about 20 ms. Notices are only hints: those lost while disconnected do no
 * harm, because caches expire and the webhook poller looks every second.
 */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #announced: ReadonlySet<Written>;
  readonly #pending = new Map<string, Set<Written>>();
  #unlisten: (() => void) | undefined;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #isInterrupted = false;
  #isStopped = false;

  constructor(options: NoticesOptions) {
    this.#options = options;
    this.#announced = new Set(options.tables);
  }

  /** Resolves when connected, or after the first failure. A failed connection is retried every second. */
  async start(): Promise<void> {
    this.#unlisten = this.#options.commits.listenToOwn((tenantId, written) => this.#collect(tenantId, written));
    this.#heartbeat = setInterval(
      () => void this.#client?.query('select 1').catch(() => this.#client?.end()),
      HEARTBEAT_MS,
    );
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unlisten?.();
    for (const timer of [this.#timer, this.#heartbeat, this.#reconnect]) clearTimeout(timer);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.databaseUrl,
      application_name: 'understudy notices',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', (err) => this.#interrupted(err)); // `end` follows.
    client.on('end', () => this.#retry());
    client.on('notification', ({ processId, payload = '' }) => {
      const isOwn = processId === (client as pg.Client & { processID: number }).processID;
      if (!isOwn) this.#receive(payload);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (err) {
      this.#interrupted(err);
      return client.end();
    }
    if (this.#isStopped) return client.end();
    if (this.#isInterrupted) this.#options.logger.info('Notices between processes are restored');
    this.#isInterrupted = false;
    this.#client = client;
    this.#schedule();
  }

  #collect(tenantId: string, written: ReadonlySet<Written>): void {
    const changed = written.intersection(this.#announced);
    if (changed.size === 0) return;
    this.#pending.set(tenantId, changed.union(this.#pending.get(tenantId) ?? new Set()));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#pending.size === 0 || !this.#client || this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.#send(), COALESCE_MS);
  }

  /** Sends one batch at a time. Writes in the meantime go into the next one. */
  async #send(): Promise<void> {
    const payloads = payloadsOf(this.#pending);
    this.#pending.clear();
    try {
      await this.#client?.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
        CHANNEL,
        payloads,
      ]);
    } catch (err) {
      this.#interrupted(err);
    }
    this.#timer = undefined;
    this.#schedule();
  }

  #receive(payload: string): void {
    for (const entry of payload.split(' ')) {
      const [tenantId = '', tables = ''] = entry.split(':');
      this.#options.commits.relay(tenantId, new Set(tables.split(',') as Written[]));
    }
  }

  /** Logs an interruption once, regardless of the number of failed reconnects. */
  #interrupted(err: unknown): void {
    const effect = 'changes by other processes take effect later, when caches expire';
    if (!this.#isInterrupted)
      this.#options.logger.warn({ err }, `Notices between processes are interrupted: ${effect}`);
    this.#isInterrupted = true;
  }

  #retry(): void {
    this.#client = undefined;
    clearTimeout(this.#reconnect);
    if (!this.#isStopped) this.#reconnect = setTimeout(() => void this.#connect(), RECONNECT_MS);
  }
}

/** Formats notices as `tenant:table,table tenant:table`, in as few payloads as the limit allows. */
function payloadsOf(pending: ReadonlyMap<string, ReadonlySet<Written>>): string[] {
  const payloads: string[] = [];
  let payload = '';
  for (const [tenantId, written] of pending) {
    const entry = `${tenantId}:${[...written].join(',')}`;
    if (payload.length + entry.length > MAX_PAYLOAD_BYTES) {
      payloads.push(payload);
      payload = '';
    }
    payload += payload ? ` ${entry}` : entry;
  }
  return [...payloads, payload];
}
