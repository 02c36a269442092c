import { newId, newSecret, newShortId } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { saveVersion } from '../custom-claims/versions.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { DEFAULT_TOKEN_TTL } from '../entities.ts';

/** The demonstration, as `credentials.json` contains it under `demo`. */
export type Demonstration = Awaited<ReturnType<typeof addDemonstration>>;

const REDIRECT_URI = 'http://localhost:4400/callback';
const RESOURCE = 'https://orders.example.com/api';
const SCOPE = 'read:orders';

/** The sample script of the documentation. */
const SCRIPT = `const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const getCustomJwtClaims = async ({ context }) => {
  const { grant } = context;
  if (grant?.type !== TOKEN_EXCHANGE) return {};
  const { ticketId, reason, supportEngineerId } = grant.subjectTokenContext;
  return {
    impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId },
  };
};
`;

/** Prefix of the names of the demonstration's resource, role and application. The role is removed by its name. */
const MARK = 'Demonstration';

/** Creates the actor's password. Hashing is slow, so it happens before the transaction opens. */
export async function prepareDemonstration(hashPassword: (password: string) => Promise<string>) {
  const password = newSecret().slice(0, 16);
  return { password, passwordHash: await hashPassword(password) };
}

export async function addDemonstration(
  store: TenantStore,
  { secrets, password, passwordHash, now }: { secrets: SecretBox; password: string; passwordHash: string; now: number },
) {
  const [resourceId, scopeId, roleId, clientId] = [newId(), newId(), newId(), newId()];
  const [actorId, subjectId] = [newShortId(), newShortId()];
  const user = {
    customData: {},
    profile: {},
    isSuspended: false,
    applicationId: null,
    lastSignInAt: null,
    createdAt: now,
    updatedAt: now,
  };

  await store.add('resources', [
    {
      id: resourceId,
      name: `${MARK}: orders`,
      indicator: RESOURCE,
      isDefault: false,
      accessTokenTtl: DEFAULT_TOKEN_TTL,
    },
  ]);
  await store.add('scopes', [
    { id: scopeId, resourceId, name: SCOPE, description: "Read a customer's orders", createdAt: now },
  ]);
  await store.add('roles', [
    { id: roleId, name: `${MARK}: customer`, description: 'Can read their own orders', type: 'User', isDefault: false },
  ]);
  await store.add('roleScopes', [{ roleId, scopeId }]);
  await store.add('users', [
    {
      ...user,
      id: actorId,
      username: 'support',
      name: 'Sam Support',
      primaryEmail: 'support@example.com',
      passwordHash,
    },
    {
      ...user,
      id: subjectId,
      username: 'customer',
      name: 'Casey Customer',
      primaryEmail: 'customer@example.com',
      passwordHash: null,
    },
  ]);
  await store.add('userRoles', [{ userId: subjectId, roleId }]);
  await store.add('applications', [
    {
      id: clientId,
      name: `${MARK}: support console`,
      description: 'A public application that can exchange subject tokens',
      type: 'SPA',
      oidcClientMetadata: { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [] },
      customClientMetadata: { allowTokenExchange: true },
      customData: {},
      isThirdParty: false,
      createdAt: now,
    },
  ]);
  await saveVersion(store, 'access-token', { script: SCRIPT }, { authorId: 'demonstration', now, secrets });
  return {
    clientId,
    redirectUri: REDIRECT_URI,
    resource: RESOURCE,
    scope: SCOPE,
    actor: { id: actorId, username: 'support', password },
    subject: { id: subjectId },
  };
}

/** Removes everything that `addDemonstration` added. The script is only removed if it is still the demonstration's. */
export async function removeDemonstration(
  store: TenantStore,
  { clientId, resource, actor, subject }: Demonstration,
): Promise<void> {
  await store.transaction(async (store) => {
    await store.removeAll('oidcPayloads', { clientId });
    await store.removeAll('applications', { id: clientId });
    for (const { id } of [actor, subject]) await store.removeAll('users', { id });
    await store.removeAll('resources', { indicator: resource });
    await store.removeAll('roles', { name: `${MARK}: customer` });
    const active = await store.find('activeScripts', { tokenType: 'access-token' });
    const version =
      active && (await store.find('scriptVersions', { tokenType: 'access-token', number: active.number }));
    if (version?.authorId === 'demonstration') await store.removeAll('activeScripts', { tokenType: 'access-token' });
  });
}
