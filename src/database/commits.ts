import type { Table } from './tables.ts';

/** `tenants`: a tenant itself, its endpoints, or what its version counts. */
export type Written = Table | 'tenants';
export type CommitListener = (tenantId: string, written: ReadonlySet<Written>) => void;

/** Tells, in this process and after the commit, which tables of which tenant were written. */
export class Commits {
  readonly #listeners = new Set<CommitListener>();

  /** @returns stops listening */
  listen(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(tenantId: string, written: ReadonlySet<Written>): void {
    for (const listener of this.#listeners) listener(tenantId, written);
  }
}
