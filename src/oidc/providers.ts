import { LRUCache } from 'lru-cache';
import type { Provider } from 'oidc-provider';
import type { Tenant } from '../tenants.ts';
import { TokenClaims } from '../tokens/access-tokens/token-claims.ts';
import { Clients } from '../tokens/clients/clients.ts';
import { tokenEndpoint } from '../tokens/endpoint/token-endpoint.ts';
import { loadSigningKeys, type SigningKeys } from '../tokens/keys/signing-keys.ts';
import { Organizations } from '../tokens/resources/organizations.ts';
import { ResourceServers } from '../tokens/resources/resource-servers.ts';
import { SessionInteractions } from '../tokens/session-interactions.ts';
import { adapterFor } from './adapter.ts';
import { grantsOf } from './grants.ts';
import { createProvider, type ProviderCollaborators } from './provider.ts';

/** Cached providers, about 70 KB each. */
const MAX_PROVIDERS = 500;

type NodeHandler = ReturnType<Provider['callback']>;

interface CachedProvider {
  /** Version of the tenant for which it was built. */
  version: number;
  built: Promise<TenantProvider>;
}

interface TenantProvider {
  provider: Provider;
  clients: Clients;
  answerTokenRequest: ReturnType<typeof tokenEndpoint>;
  /** The composed middleware. Composing it for every request would cost more than the request. */
  handler: NodeHandler;
  keys: SigningKeys;
}

/**
 * The provider and signing keys of each tenant, built on first use, once for all concurrent callers, and replaced when
 * the tenant's version increases. Requests in progress finish with the old one, so none fails because of a change.
 */
export class Providers {
  readonly #collaborators: ProviderCollaborators;
  readonly #cached = new LRUCache<string, CachedProvider>({ max: MAX_PROVIDERS });

  constructor(collaborators: ProviderCollaborators) {
    this.#collaborators = collaborators;
  }

  of(tenant: Tenant): Promise<TenantProvider> {
    const known = this.#cached.get(tenant.id);
    // A request whose tenant was read just before a change may use the newer provider, which has the old keys too.
    if (known && known.version >= tenant.version) return known.built;
    const entry = { version: tenant.version, built: this.#build(tenant) };
    this.#cached.set(tenant.id, entry);
    entry.built.catch(() => {
      if (this.#cached.peek(tenant.id) === entry) this.#cached.delete(tenant.id);
    });
    return entry.built;
  }

  async #build(tenant: Tenant): Promise<TenantProvider> {
    const { cache, secrets, clock, customClaims } = this.#collaborators;
    const { store } = tenant;
    const clients = new Clients(tenant, this.#collaborators);
    const adapter = adapterFor({ store, secrets, clock, findClient: (id) => clients.find(id) });
    const organizations = new Organizations(store);
    const interactions = new SessionInteractions(adapter('SessionInteraction'));
    const parts = {
      keys: await loadSigningKeys(store, secrets),
      clients,
      resourceServers: new ResourceServers(store, cache, organizations),
      organizations,
      adapter,
      interactions,
      claims: new TokenClaims(store, cache, customClaims, interactions),
    };
    const provider = createProvider(tenant, parts, this.#collaborators);
    const grants = grantsOf(tenant, { ...parts, provider }, this.#collaborators);
    const answerTokenRequest = tokenEndpoint({ ...this.#collaborators, tenant, clients, grants });
    return { keys: parts.keys, clients, provider, answerTokenRequest, handler: provider.callback() };
  }
}
