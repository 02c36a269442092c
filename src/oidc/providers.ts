import { LRUCache } from 'lru-cache';
import type { Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { createProvider, type ProviderCollaborators } from './provider.ts';
import { loadSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Live providers at once; about 70 KB each. */
const MAX_PROVIDERS = 500;

type NodeHandler = ReturnType<Provider['callback']>;

interface Entry {
  /** Of the tenant it was built for. */
  version: number;
  built: Promise<Built>;
}

interface Built {
  provider: Provider;
  /** Composed once: composing it for every request would cost more than the request. */
  handler: NodeHandler;
  keys: SigningKeys;
}

/**
 * The provider and the keys of each tenant: built on first use by one caller for all, replaced when
 * the tenant's version grows. The old one finishes what it holds, so no request fails for it.
 */
export class Providers {
  readonly #collaborators: ProviderCollaborators;
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_PROVIDERS });

  constructor(collaborators: ProviderCollaborators) {
    this.#collaborators = collaborators;
  }

  async of(tenant: Tenant): Promise<Provider> {
    return (await this.#find(tenant)).provider;
  }

  async handlerOf(tenant: Tenant): Promise<NodeHandler> {
    return (await this.#find(tenant)).handler;
  }

  async keysOf(tenant: Tenant): Promise<SigningKeys> {
    return (await this.#find(tenant)).keys;
  }

  #find(tenant: Tenant): Promise<Built> {
    const known = this.#entries.get(tenant.id);
    // A request that was resolved just before a change is served by what is newer: it knows the old keys too.
    if (known && known.version >= tenant.version) return known.built;
    const entry = { version: tenant.version, built: this.#build(tenant) };
    this.#entries.set(tenant.id, entry);
    entry.built.catch(() => {
      if (this.#entries.peek(tenant.id) === entry) this.#entries.delete(tenant.id);
    });
    return entry.built;
  }

  async #build(tenant: Tenant): Promise<Built> {
    const keys = await loadSigningKeys(tenant.store, this.#collaborators.secrets);
    const provider = createProvider(tenant, keys, this.#collaborators);
    return { keys, provider, handler: provider.callback() };
  }
}
