import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import { type UserContextRow, userContextById } from './find-user-context.ts';

/** Groups identities by target, as the Management API does, with single sign-on identities separate. */
function identitiesOf(linked: UserContextRow['linkedIdentities']) {
  const social = linked.filter(({ isSso }) => !isSso);
  const enterprise = linked.filter(({ isSso }) => isSso);
  return {
    identities: Object.fromEntries(
      social.map(({ target, externalId, details }) => [target, { userId: externalId, details }]),
    ),
    ssoIdentities: enterprise.map(({ target, externalId, details }) => ({
      issuer: target,
      identityId: externalId,
      detail: details,
    })),
  };
}

/** Returns `context.user`, the user the token is issued for, without password hashes and secrets. */
export async function userContext(store: TenantStore, userId: string): Promise<Record<string, unknown>> {
  const found = await store.readOne(userContextById, { id: userId });
  if (!found) throw new ServiceError('entity.not_found');
  const { user, linkedIdentities, factors, ...held } = found;
  const { tenantId: _, passwordHash, ...fields } = user;
  return {
    ...fields,
    hasPassword: passwordHash !== null,
    ...identitiesOf(linkedIdentities),
    mfaVerificationFactors: factors,
    ...held,
  };
}

/** Returns `context.application`, without secrets. Cached for as long as the client itself. */
export const applicationContext = (
  store: TenantStore,
  cache: TenantCache,
  id: string,
): Promise<Record<string, unknown>> =>
  cache.get(store.tenantId, `script-application:${id}`, async () => {
    const { tenantId: _, ...application } = await store.get('applications', { id });
    return application;
  });

/** Returns `context.organization`, for a token issued for an organization. */
export async function organizationContext(store: TenantStore, id: string): Promise<Record<string, unknown>> {
  const { name, description, customData } = await store.get('organizations', { id });
  return { id, name, description, customData };
}
