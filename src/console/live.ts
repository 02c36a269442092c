import type { Request, Response } from 'express';
import type { Commits, Written } from '../database/notices/commits.ts';
import { tenantTables } from '../database/tables/tenant-tables.ts';
import { DEFAULT_TENANT } from '../tenants.ts';

/** Changes that come together are told once. */
const GATHER_MS = 250;
/** How long a change made by another process, or by the deliverers of webhooks, may go unseen. */
const EVERY_MS = 5_000;
/** Then the browser connects anew, and who it is is asked anew. */
const LONGEST_MS = 5 * 60 * 1000;

/**
 * Server-sent events that tell a page when to renew itself. They carry no data: what is new, the browser reads as the
 * page it is on (`assets/live.js`), so a page need not be written twice.
 */
export class LiveStreams {
  readonly #commits: Commits;
  readonly #open = new Set<() => void>();

  constructor(commits: Commits) {
    this.#commits = commits;
  }

  /** `?tables=deliveries,attempts`: those whose changes are told. */
  open(request: Request, response: Response, tenantId: string, asked: string | null): void {
    const tables = new Set<Written>(tenantTables.filter((table) => asked?.split(',').includes(table)));
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    response.write('retry: 2000\n\n');

    let gathering: NodeJS.Timeout | undefined;
    const tell = () => {
      gathering = undefined;
      response.write('event: changed\ndata:\n\n');
    };
    const unlisten = this.#commits.listen((changed, written) => {
      // Somebody's rights were given or taken: the browser connects anew, and is let in or not.
      if (changed === DEFAULT_TENANT && written.has('administrators')) end();
      else if (changed === tenantId && !tables.isDisjointFrom(written)) gathering ??= setTimeout(tell, GATHER_MS);
    });
    const ticking = setInterval(tell, EVERY_MS);
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

  /** Ends them all, so that the server may stop. */
  close(): void {
    for (const end of [...this.#open]) end();
  }
}
