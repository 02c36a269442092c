import type { Table } from '../tables/index.ts';

/** `tenants`: a tenant itself, its endpoints, or what its version counts. */
export type Written = Table | 'tenants';
export type CommitListener = (tenantId: string, written: ReadonlySet<Written>) => void;

/** Tells, after the commit, which tables of which tenant were written: by this process, and as far as it is known by others. */
export class Commits {
  readonly #listeners = new Set<CommitListener>();
  readonly #listenersToOwn = new Set<CommitListener>();

  /** @returns stops listening */
  listen(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To what this process commits alone. @returns stops listening */
  listenToOwn(listener: CommitListener): () => void {
    this.#listenersToOwn.add(listener);
    return () => this.#listenersToOwn.delete(listener);
  }

  announce(tenantId: string, written: ReadonlySet<Written>): void {
    for (const listener of this.#listenersToOwn) listener(tenantId, written);
    this.relay(tenantId, written);
  }

  /** What another process committed. */
  relay(tenantId: string, written: ReadonlySet<Written>): void {
    for (const listener of this.#listeners) listener(tenantId, written);
  }
}
