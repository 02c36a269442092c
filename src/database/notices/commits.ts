import type { Table } from '../tables/index.ts';

/** A table that was written. `tenants`: the tenant itself, its endpoints, or anything that increments its version. */
export type Written = Table | 'tenants';
export type CommitListener = (tenantId: string, written: ReadonlySet<Written>) => void;

/** Notifies listeners of the tables that each commit wrote, by this process and (if notices arrive) by others. */
export class Commits {
  readonly #listeners = new Set<CommitListener>();
  readonly #listenersToOwn = new Set<CommitListener>();

  /** @returns a function that stops listening */
  listen(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Listens only to commits of this process. @returns a function that stops listening */
  listenToOwn(listener: CommitListener): () => void {
    this.#listenersToOwn.add(listener);
    return () => this.#listenersToOwn.delete(listener);
  }

  announce(tenantId: string, written: ReadonlySet<Written>): void {
    for (const listener of this.#listenersToOwn) listener(tenantId, written);
    this.relay(tenantId, written);
  }

  /** Notifies listeners of a commit by another process. */
  relay(tenantId: string, written: ReadonlySet<Written>): void {
    for (const listener of this.#listeners) listener(tenantId, written);
  }
}
