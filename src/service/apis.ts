import { adminOperations } from '../admin/tenants.ts';
import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { ApiParts } from '../http/api.ts';
import { authenticate } from '../http/authenticate.ts';
import { referenceRoutes } from '../http/openapi/reference.ts';
import type { Operation } from '../http/operations/operation.ts';
import { type Perform, type PerformerParts, performer } from '../http/operations/perform.ts';
import { serveOperations } from '../http/operations/serve-operations.ts';
import { operations } from '../management/index.ts';
import { protectedResourceMetadata } from '../oidc/metadata.ts';
import type { Providers } from '../oidc/providers.ts';
import { AccessTokens } from '../tokens/access-tokens/access-tokens.ts';
import { ManagementAccess } from '../tokens/resources/management-access.ts';
import { isRevoked } from '../tokens/revocation/revoked-tokens.ts';
import { ADMIN_API, MANAGEMENT_API, type SystemApi } from '../tokens/urns.ts';

export interface ServiceApisParts extends PerformerParts {
  cache: TenantCache;
  /** Revocation state by `jti`. Cleared whenever a token is revoked. */
  revocations: TenantCache;
  providers: Providers;
}

/** Builds the two APIs from their operations, each with its resource, scope and reference. */
export function serviceApis({ cache, revocations, providers, ...performerParts }: ServiceApisParts): {
  management: ApiParts;
  admin: ApiParts;
  /** The same operations by route, for the console. */
  rows: Record<'management' | 'operator', ReadonlyMap<string, Perform>>;
} {
  function apiOf(api: SystemApi, rows: readonly Operation[]): ApiParts {
    const access = new ManagementAccess(cache, api);
    const tokens = new AccessTokens({
      keysOf: async (tenant) => (await providers.of(tenant)).keys,
      audiencesOf: (tenant) => access.audiencesOf(tenant),
      isRevoked: ({ id, store }, jti) => revocations.get(id, jti, () => isRevoked(store, jti)),
    });
    return {
      metadata: protectedResourceMetadata(api, access),
      reference: referenceRoutes(rows, { title: `Understudy ${api.name}`, scope: api.scope }),
      authenticate: authenticate({
        scope: api.scope,
        path: api.path,
        verify: (tenant, token) => tokens.verify(tenant, token),
        isEntitled: (tenant, applicationId) => access.isEntitled(tenant, applicationId),
      }),
      operations: serveOperations(rows, performerParts),
    };
  }
  const byRoute = (rows: readonly Operation[]) =>
    new Map(rows.map((row) => [row.route, performer(row, performerParts)]));
  return {
    rows: { management: byRoute(operations), operator: byRoute(adminOperations) },
    management: apiOf(MANAGEMENT_API, operations),
    admin: apiOf(ADMIN_API, adminOperations),
  };
}
