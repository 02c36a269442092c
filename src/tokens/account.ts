import type { Account } from 'oidc-provider';
import { secondsOf } from '../base/clock.ts';
import { snakeCase } from '../database/drivers/names.ts';
import type { Query, TenantStore } from '../database/store/tenant-store.ts';
import type { UserRow } from '../database/tables/index.ts';

const ORGANIZATIONS = 'urn:logto:scope:organizations';
const ORGANIZATION_ROLES = 'urn:logto:scope:organization_roles';

/** Members of a user's `profile` that are claims, named in snake case (OpenID Connect Core §5.1). */
const STANDARD = [
  'familyName',
  'givenName',
  'middleName',
  'nickname',
  'preferredUsername',
  'profile',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
];

/** Members of `profile.address` that are members of the `address` claim, named in snake case (§5.1.1). */
const ADDRESS = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'];

/** Scope → claims it adds to `/oidc/me` and the ID token (OpenID Connect Core §5.4, plus Logto's scopes). */
export const CLAIMS_BY_SCOPE: Record<string, string[]> = {
  openid: ['sub'],
  profile: ['name', 'username', 'picture', 'created_at', 'updated_at', ...STANDARD.map(snakeCase)],
  address: ['address'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  custom_data: ['custom_data'],
  identities: ['identities'],
  roles: ['roles'],
  [ORGANIZATIONS]: ['organizations'],
  [ORGANIZATION_ROLES]: ['organization_roles'],
};

/** Scopes that give claims or refresh tokens. No API scope may have such a name, so no resource-bound token has one. */
export const OIDC_SCOPES: readonly string[] = [...Object.keys(CLAIMS_BY_SCOPE), 'offline_access'];

/** Claims from other tables than `users`, read only when their scope was granted. */
async function joinedClaims(
  store: TenantStore,
  userId: string,
  scopes: ReadonlySet<string>,
): Promise<Record<string, unknown>> {
  const claims: Record<string, unknown> = {};
  if (scopes.has('roles')) {
    const roles = store.from('userRoles').join(store.rows('roles'), 'roles.id', 'userRoles.roleId').where({ userId });
    claims.roles = (await roles.pluck('roles.name')) as unknown as string[];
  }
  if (scopes.has('identities')) {
    const identities = await store.from('userIdentities').where({ userId }).select('target', 'externalId', 'details');
    claims.identities = Object.fromEntries(
      identities.map(({ target, externalId, details }) => [target, { userId: externalId, details }]),
    );
  }
  if (scopes.has(ORGANIZATIONS)) {
    const rows = await store.from('organizationUsers').where({ userId }).select('organizationId');
    claims.organizations = rows.map(({ organizationId }) => organizationId);
  }
  if (scopes.has(ORGANIZATION_ROLES)) {
    const roles: Query = store
      .from('organizationUserRoles')
      .join(store.rows('organizationRoles'), 'organizationRoles.id', 'organizationUserRoles.organizationRoleId');
    const rows: { organizationId: string; name: string }[] = await roles
      .where({ userId })
      .select('organizationUserRoles.organizationId', 'organizationRoles.name');
    claims.organization_roles = rows.map(({ organizationId, name }) => `${organizationId}:${name}`);
  }
  return claims;
}

/** The non-empty members of `source` under their claim names; undefined when there are none. */
function claimsFrom(source: unknown, members: readonly string[]): Record<string, unknown> | undefined {
  const known = Object.entries(source ?? {}).filter(([member, value]) => members.includes(member) && value !== '');
  if (known.length === 0) return undefined;
  return Object.fromEntries(known.map(([member, value]) => [snakeCase(member), value]));
}

/**
 * Claims from the user's own row. A stored email address or phone number is always verified: an administrator set it,
 * or the user entered its verification code. Unknown claims are omitted, not null (OpenID Connect Core §5.3.2).
 */
function ownClaims({ profile, ...user }: UserRow): Record<string, unknown> {
  const claims = {
    ...claimsFrom(profile, STANDARD),
    address: claimsFrom((profile as { address?: unknown }).address, ADDRESS),
    name: user.name,
    username: user.username,
    picture: user.avatar,
    created_at: secondsOf(user.createdAt),
    updated_at: secondsOf(user.updatedAt),
    email: user.primaryEmail,
    email_verified: user.primaryEmail === null ? null : true,
    phone_number: user.primaryPhone,
    phone_number_verified: user.primaryPhone === null ? null : true,
    custom_data: user.customData,
  };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null && value !== undefined));
}

/** Returns undefined for a suspended or missing user; oidc-provider then refuses the request. */
export async function findAccount(store: TenantStore, id: string): Promise<Account | undefined> {
  const user = await store.find('users', { id });
  if (!user || user.isSuspended) return undefined;
  return {
    accountId: id,
    async claims(_use: string, scope: string) {
      const scopes = new Set(scope.split(' '));
      return { sub: id, ...ownClaims(user), ...(await joinedClaims(store, id, scopes)) };
    },
  };
}
