import pg from 'pg';
import type { Logger } from '../../observe/logger.ts';
import type { Commits, Written } from './commits.ts';

const CHANNEL = 'understudy_commits';
/** PostgreSQL takes a global lock for a commit that notifies, so notices are few and never in a business transaction. */
const COALESCE_MS = 20;
/** PostgreSQL's limit is 8000 bytes; one tenant with all its tables needs less than 1000. */
const MAX_PAYLOAD_BYTES = 7_000;
const RECONNECT_MS = 1_000;
/** A connection whose other end is gone without a word is found by this. */
const HEARTBEAT_MS = 10_000;
const TIMEOUT_MS = 5_000;

export interface NoticesOptions {
  /** To the server itself: a pooler that gives each transaction another connection does not deliver notices. */
  databaseUrl: string;
  commits: Commits;
  /** Those whose writes other processes want to know of at once. */
  tables: readonly Written[];
  logger: Logger;
}

/**
 * Joins the `Commits` of all processes on one PostgreSQL: what one of them has written, the others are told within some
 * 20 ms, on a connection of its own. A hint only. What is missed while the connection is away is found by those who
 * listen: caches expire, and the poller of webhooks looks every second.
 */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #told: ReadonlySet<Written>;
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
    this.#told = new Set(options.tables);
  }

  /** Resolves once others are heard, or could not be: then it is tried again every second. */
  async start(): Promise<void> {
    this.#unlisten = this.#options.commits.listenToOwn((tenantId, written) => this.#tell(tenantId, written));
    this.#heartbeat = setInterval(() => void this.#client?.query('select 1').catch(() => this.#drop()), HEARTBEAT_MS);
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
    client.on('error', (err) => this.#interrupted(err)); // It ends after this.
    client.on('end', () => this.#retry());
    client.on('notification', ({ processId, payload = '' }) => {
      const isOwn = processId === (client as pg.Client & { processID: number }).processID;
      if (!isOwn) this.#hear(payload);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (err) {
      this.#interrupted(err);
      return client.end();
    }
    if (this.#isStopped) return client.end();
    if (this.#isInterrupted) this.#options.logger.info('notices between processes go on');
    this.#isInterrupted = false;
    this.#client = client;
    this.#schedule();
  }

  #tell(tenantId: string, written: ReadonlySet<Written>): void {
    const news = written.intersection(this.#told);
    if (news.size === 0) return;
    this.#pending.set(tenantId, news.union(this.#pending.get(tenantId) ?? new Set()));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#pending.size === 0 || !this.#client || this.#isStopped) return;
    this.#timer ??= setTimeout(() => void this.#send(), COALESCE_MS);
  }

  /** One at a time: what is told meanwhile goes with the next. */
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

  #hear(payload: string): void {
    for (const entry of payload.split(' ')) {
      const [tenantId = '', tables = ''] = entry.split(':');
      this.#options.commits.relay(tenantId, new Set(tables.split(',') as Written[]));
    }
  }

  /** Said once, however often it is tried in vain. */
  #interrupted(err: unknown): void {
    const reason = 'changes by other processes are seen later, when what is kept expires';
    if (!this.#isInterrupted)
      this.#options.logger.warn({ err }, `notices between processes are interrupted: ${reason}`);
    this.#isInterrupted = true;
  }

  #drop(): void {
    void this.#client?.end();
  }

  #retry(): void {
    this.#client = undefined;
    clearTimeout(this.#reconnect);
    if (!this.#isStopped) this.#reconnect = setTimeout(() => void this.#connect(), RECONNECT_MS);
  }
}

/** `tenant:table,table tenant:table`, in as few parts as the limit allows. */
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
