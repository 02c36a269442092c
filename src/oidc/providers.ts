import { LRUCache } from 'lru-cache';
import type { Provider } from 'oidc-provider';
import type { Commits } from '../database/commits.ts';
import type { Tenant } from '../tenants.ts';
import { createProvider, type ProviderCollaborators } from './provider.ts';
import { loadSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Live providers at once; about 70 KB each. */
const MAX_PROVIDERS = 500;

type NodeHandler = ReturnType<Provider['callback']>;

interface Built {
  tenant: Tenant;
  provider: Provider;
  /** Composed once: composing it for every request would cost more than the request. */
  handler: NodeHandler;
  keys: SigningKeys;
}

/**
 * The provider and the keys of each tenant: built on first use by one caller for all, replaced when
 * the tenant's version or keys change. The old one finishes what it holds.
 */
export class Providers {
  readonly #collaborators: ProviderCollaborators;
  readonly #built = new LRUCache<string, Promise<Built>>({ max: MAX_PROVIDERS });

  constructor(collaborators: ProviderCollaborators, commits: Commits) {
    this.#collaborators = collaborators;
    commits.listen((tenantId, written) => {
      if (written.has('signingKeys')) this.#built.delete(tenantId);
    });
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

  async #find(tenant: Tenant): Promise<Built> {
    const known = this.#built.get(tenant.id);
    if (known) {
      const built = await known;
      if (built.tenant === tenant) return built;
    }
    const building = this.#build(tenant);
    this.#built.set(tenant.id, building);
    building.catch(() => this.#built.delete(tenant.id));
    return building;
  }

  async #build(tenant: Tenant): Promise<Built> {
    const keys = await loadSigningKeys(tenant.store, this.#collaborators.secrets);
    const provider = createProvider(tenant, keys, this.#collaborators);
    return { tenant, keys, provider, handler: provider.callback() };
  }
}
