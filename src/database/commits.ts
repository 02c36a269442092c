import type { Table } from './tables.ts';

export type CommitListener = (tenantId: string, written: ReadonlySet<Table>) => void;

/** Tells, in this process and after the commit, which tables of which tenant were written. */
export class Commits {
  readonly #listeners = new Set<CommitListener>();

  /** @returns stops listening */
  listen(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(tenantId: string, written: ReadonlySet<Table>): void {
    for (const listener of this.#listeners) listener(tenantId, written);
  }
}
