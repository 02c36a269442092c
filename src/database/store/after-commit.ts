import type { Database } from '../database.ts';
import type { Written } from '../notices/commits.ts';
import type { Counts } from '../statistics/figures.ts';

/** Collects what to announce once a transaction has committed: the tables it wrote per tenant, and figures to count. */
export class AfterCommit {
  readonly #written = new Map<string, Set<Written>>();
  readonly #counted: [tenantId: string, at: number, counts: Counts][] = [];

  wrote(tenantId: string, table: Written): void {
    const written = this.#written.get(tenantId) ?? new Set();
    this.#written.set(tenantId, written.add(table));
  }

  count(tenantId: string, at: number, counts: Counts): void {
    this.#counted.push([tenantId, at, counts]);
  }

  announce({ commits, figures }: Database): void {
    for (const [tenantId, written] of this.#written) commits.announce(tenantId, written);
    for (const counted of this.#counted) figures.add(...counted);
  }
}
