import type { TenantStore } from '../database/store/tenant-store.ts';
import type { UserIdentityRow, UserRow } from '../database/tables/index.ts';
import type { User } from '../entities.ts';

/** Social identities by the target, the connector that vouches for them. */
const identitiesOf = (linked: readonly UserIdentityRow[]): Record<string, unknown> =>
  Object.fromEntries(
    linked
      .filter(({ isSso }) => !isSso)
      .map(({ target, externalId, details }) => [target, { userId: externalId, details }]),
  );

const ssoIdentitiesOf = (linked: readonly UserIdentityRow[]) =>
  linked
    .filter(({ isSso }) => isSso)
    .map(({ target, externalId, details }) => ({ target, identityId: externalId, detail: details }));

function viewOf({ passwordHash, ...fields }: UserRow, linked: readonly UserIdentityRow[]): User {
  return { ...fields, hasPassword: passwordHash !== null, identities: identitiesOf(linked) };
}

/** Someone just created: nothing is linked yet. */
export const newUserView = (user: UserRow): User => viewOf(user, []);

/** The user as the API returns it and events carry it: the row, what is linked to it, and never its password. */
export async function userView(store: TenantStore, user: UserRow, { includeSso = false } = {}): Promise<User> {
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('*');
  const view = viewOf(user, linked);
  return includeSso ? { ...view, ssoIdentities: ssoIdentitiesOf(linked) } : view;
}

/** All of a list, with one query for what is linked to any of them. */
export async function userViews(store: TenantStore, users: readonly UserRow[]): Promise<User[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const linked = await store.from('userIdentities').whereIn('userId', ids).select('*');
  const byUser = Map.groupBy(linked, ({ userId }) => userId);
  return users.map((user) => viewOf(user, byUser.get(user.id) ?? []));
}
