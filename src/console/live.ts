import type { Request, Response } from 'express';
import { MINUTE_MS } from '../base/times.ts';
import type { Commits, Written } from '../database/notices/commits.ts';
import { tenantTables } from '../database/tables/index.ts';
import { DEFAULT_TENANT } from '../tenants.ts';

/** Changes within this time are reported as one. */
const GATHER_MS = 250;
/** Interval of unconditional reports: the longest a change by another process or by webhook delivery can stay unseen. */
const EVERY_MS = 5_000;
/** Streams end after this time. The browser reconnects, so the session is checked again. */
const LONGEST_MS = 5 * MINUTE_MS;

/**
 * Server-sent events that tell a page to refresh itself. They carry no data: the browser fetches its page again
 * (`assets/live.js`), so each page is rendered in one place only.
 */
export class LiveStreams {
  readonly #commits: Commits;
  readonly #open = new Set<() => void>();

  constructor(commits: Commits) {
    this.#commits = commits;
  }

  /** Opens a stream. @param tableNames the tables to watch, separated by commas: `deliveries,attempts` */
  open(request: Request, response: Response, tenantId: string, tableNames: string | null): void {
    const tables = new Set<Written>(tenantTables.filter((table) => tableNames?.split(',').includes(table)));
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.write('retry: 2000\n\n');

    let gathering: NodeJS.Timeout | undefined;
    const report = () => {
      gathering = undefined;
      response.write('event: changed\ndata:\n\n');
    };
    const unlisten = this.#commits.listen((changed, written) => {
      // An administrator was added or removed: the browser reconnects, and its rights are checked again.
      if (changed === DEFAULT_TENANT && written.has('administrators')) end();
      else if (changed === tenantId && !tables.isDisjointFrom(written)) gathering ??= setTimeout(report, GATHER_MS);
    });
    const ticking = setInterval(report, EVERY_MS);
    const end = () => {
      this.#open.delete(end);
      unlisten();
      clearTimeout(gathering);
      clearInterval(ticking);
      clearTimeout(expiring);
      response.end();
    };
    const expiring = setTimeout(end, LONGEST_MS);
    this.#open.add(end);
    request.once('close', end);
  }

  /** Ends all streams, so that the server can stop. */
  close(): void {
    for (const end of [...this.#open]) end();
  }
}
