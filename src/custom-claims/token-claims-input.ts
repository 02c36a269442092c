import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import { type UserContextRow, userContextById } from './find-user-context.ts';

/** By target, as the Management API shows them; those of an enterprise's own provider apart. */
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

/** `context.user` of a script: what it may know of the person the token is for. Never a hash or a secret. */
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

/** `context.application`: without any secret. Kept for as long as the client itself is. */
export const applicationContext = (
  store: TenantStore,
  cache: TenantCache,
  id: string,
): Promise<Record<string, unknown>> =>
  cache.get(store.tenantId, `script-application:${id}`, async () => {
    const { tenantId: _, ...application } = await store.get('applications', { id });
    return application;
  });

/** `context.organization`, when the token is for one. */
export async function organizationContext(store: TenantStore, id: string): Promise<Record<string, unknown>> {
  const { name, description, customData } = await store.get('organizations', { id });
  return { id, name, description, customData };
}
