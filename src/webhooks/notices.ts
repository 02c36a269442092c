import pg from 'pg';
import type { Logger } from '../observe/logger.ts';

const CHANNEL = 'understudy_deliveries';
/** PostgreSQL takes a global lock for a commit that notifies, so notices are few and never in a business transaction. */
const COALESCE_MS = 20;
/** PostgreSQL's limit is 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7000;
const RECONNECT_MS = 1000;

/**
 * Tells other processes on the same PostgreSQL whose deliveries were written, on a connection of its own.
 * A hint only: whatever is missed here is found by polling a second later.
 */
export class Notices {
  readonly #databaseUrl: string;
  readonly #heard: (tenantId: string | undefined) => void;
  readonly #logger: Logger;
  readonly #pending = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `heard` is told a tenant that another process wrote for; undefined means any. */
  constructor(databaseUrl: string, heard: (tenantId: string | undefined) => void, logger: Logger) {
    this.#databaseUrl = databaseUrl;
    this.#heard = heard;
    this.#logger = logger;
  }

  async start(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#databaseUrl, application_name: 'understudy notices' });
    client.on('error', (error) => this.#logger.warn({ err: error }, 'webhook notices are interrupted'));
    client.on('end', () => this.#retry());
    client.on('notification', ({ processId, payload = '' }) => {
      const isOwn = processId === (client as pg.Client & { processID: number }).processID;
      if (!isOwn) for (const tenantId of payload.split(' ')) this.#heard(tenantId || undefined);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.#stopped) await client.end();
      else this.#client = client;
    } catch (error) {
      this.#logger.warn({ err: error }, 'webhook notices cannot be had; polling goes on');
      await client.end();
    }
  }

  /** Tells the others, at most every 20 ms. */
  tell(tenantId: string): void {
    this.#pending.add(tenantId);
    if (this.#timer === undefined) this.#schedule();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#send(), COALESCE_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconnect);
    await this.#client?.end();
  }

  /** One at a time: what is told meanwhile goes with the next. */
  async #send(): Promise<void> {
    const tenants = [...this.#pending].join(' ');
    this.#pending.clear();
    const payload = tenants.length > MAX_PAYLOAD_BYTES ? '' : tenants;
    try {
      await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, payload]);
    } catch (error) {
      this.#logger.warn({ err: error }, 'a webhook notice was lost');
    }
    this.#timer = undefined;
    if (this.#pending.size > 0 && !this.#stopped) this.#schedule();
  }

  #retry(): void {
    this.#client = undefined;
    if (!this.#stopped) this.#reconnect = setTimeout(() => void this.start(), RECONNECT_MS);
  }
}
