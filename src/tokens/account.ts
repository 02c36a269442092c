import type { Account, ClaimsParameterMember } from 'oidc-provider';
import { secondsOf } from '../base/clock.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { UserRow } from '../database/tables/index.ts';

const ORGANIZATIONS = 'urn:logto:scope:organizations';
const ORGANIZATION_ROLES = 'urn:logto:scope:organization_roles';

/** Member of a user's `profile` → the claim it becomes (OpenID Connect Core §5.1). */
const STANDARD: ReadonlyMap<string, string> = new Map([
  ['familyName', 'family_name'],
  ['givenName', 'given_name'],
  ['middleName', 'middle_name'],
  ['nickname', 'nickname'],
  ['preferredUsername', 'preferred_username'],
  ['profile', 'profile'],
  ['website', 'website'],
  ['gender', 'gender'],
  ['birthdate', 'birthdate'],
  ['zoneinfo', 'zoneinfo'],
  ['locale', 'locale'],
]);

/** The same for the members of its `address` (§5.1.1). */
const ADDRESS: ReadonlyMap<string, string> = new Map([
  ['formatted', 'formatted'],
  ['streetAddress', 'street_address'],
  ['locality', 'locality'],
  ['region', 'region'],
  ['postalCode', 'postal_code'],
  ['country', 'country'],
]);

/** Scope → the claims it opens, at `/oidc/me` and in the ID token (OpenID Connect Core §5.4, and Logto's own). */
export const CLAIMS_BY_SCOPE: Record<string, string[]> = {
  openid: ['sub'],
  profile: ['name', 'username', 'picture', 'created_at', 'updated_at', ...STANDARD.values()],
  address: ['address'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  custom_data: ['custom_data'],
  identities: ['identities'],
  roles: ['roles'],
  [ORGANIZATIONS]: ['organizations'],
  [ORGANIZATION_ROLES]: ['organization_roles'],
};

/** Names no API scope may take, so that no resource-bound token ever carries one of them. */
export const OIDC_SCOPES: readonly string[] = [...Object.keys(CLAIMS_BY_SCOPE), 'offline_access'];

/** Claims that need rows beyond the user's own, read only when their scope was granted. */
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
    const rows = (await store
      .from('organizationUserRoles')
      .join(store.rows('organizationRoles'), 'organizationRoles.id', 'organizationUserRoles.organizationRoleId')
      .where({ userId })
      .select(
        'organizationUserRoles.organizationId as organizationId',
        'organizationRoles.name as name',
      )) as unknown as {
      organizationId: string;
      name: string;
    }[];
    claims.organization_roles = rows.map(({ organizationId, name }) => `${organizationId}:${name}`);
  }
  return claims;
}

/** The members that are there, under the names of their claims; undefined when there are none. */
function claimsFrom(source: unknown, names: ReadonlyMap<string, string>): Record<string, unknown> | undefined {
  const known = Object.entries(source ?? {}).filter(([member, value]) => names.has(member) && value !== '');
  return known.length === 0
    ? undefined
    : Object.fromEntries(known.map(([member, value]) => [names.get(member), value]));
}

/**
 * An email address in the row is a verified one: it is set by an administrator, or after its code was entered. What is
 * not known is left out, not null (OpenID Connect Core §5.3.2).
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

/** Undefined for a suspended or missing user: oidc-provider then refuses whatever was asked. */
export async function findAccount(store: TenantStore, id: string): Promise<Account | undefined> {
  const user = await store.find('users', { id });
  if (!user || user.isSuspended) return undefined;
  return {
    accountId: id,
    async claims(
      _use: string,
      scope: string,
      _claims: Record<string, ClaimsParameterMember | null>,
      _rejected: string[],
    ) {
      const scopes = new Set(scope.split(' '));
      return { sub: id, ...ownClaims(user), ...(await joinedClaims(store, id, scopes)) };
    },
  };
}
