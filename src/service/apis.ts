import { adminOperations } from '../admin/tenants.ts';
import type { ApiParts } from '../http/api.ts';
import { authenticate } from '../http/authenticate.ts';
import type { Operation } from '../http/operations/operation.ts';
import { type Perform, performer } from '../http/operations/perform.ts';
import { serveOperations } from '../http/operations/serve-operations.ts';
import { operations } from '../management/index.ts';
import { protectedResourceMetadata } from '../oidc/metadata.ts';
import { referenceRoutes } from '../reference/routes.ts';
import { AccessTokens } from '../tokens/access-tokens/access-tokens.ts';
import { ManagementAccess } from '../tokens/resources/management-access.ts';
import { isRevoked } from '../tokens/revocation/revoked-tokens.ts';
import { ADMIN_API, MANAGEMENT_API, type SystemApi } from '../tokens/urns.ts';
import { serviceCalls } from './calls.ts';
import type { Foundation } from './foundation.ts';
import type { Issuing } from './issuing.ts';

/** Builds the two APIs from their operations, each with its resource, scope and reference. */
export function serviceApis(
  foundation: Foundation,
  issuing: Issuing,
): {
  management: ApiParts;
  admin: ApiParts;
  /** The same operations by route, for the console. */
  rows: Record<'management' | 'operator', ReadonlyMap<string, Perform>>;
} {
  const { secrets, clock, caches } = foundation;
  const { audit: refusals, rateLimits, providers } = issuing;
  const performerParts = { services: serviceCalls(foundation, issuing), secrets, clock, refusals, rateLimits };

  function apiOf(api: SystemApi, rows: readonly Operation[]): ApiParts {
    const access = new ManagementAccess(caches.configuration, api);
    const tokens = new AccessTokens({
      keysOf: async (tenant) => (await providers.of(tenant)).keys,
      audiencesOf: (tenant) => access.audiencesOf(tenant),
      isRevoked: ({ id, store }, jti) => caches.revocations.get(id, jti, () => isRevoked(store, jti)),
      clock,
    });
    return {
      metadata: protectedResourceMetadata(api, access),
      reference: referenceRoutes(rows, {
        title: `Understudy ${api.name}`,
        path: api.path,
        scope: api.scope,
        indicatorOf: async (tenant) => (await access.audiencesOf(tenant))[0],
        hasEvents: api === MANAGEMENT_API,
      }),
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
