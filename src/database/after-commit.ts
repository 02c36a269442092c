import type { Written } from './commits.ts';
import type { Database } from './connect.ts';
import type { Counts } from './figures.ts';

/** What a transaction tells once all of it is committed: the tables it wrote, and what is to be counted. */
export class AfterCommit {
  readonly written = new Set<Written>();
  readonly #counted: [tenantId: string, at: number, counts: Counts][] = [];

  count(tenantId: string, at: number, counts: Counts): void {
    this.#counted.push([tenantId, at, counts]);
  }

  tell({ commits, figures }: Database, tenantId: string): void {
    if (this.written.size > 0) commits.announce(tenantId, this.written);
    for (const counted of this.#counted) figures.add(...counted);
  }
}
