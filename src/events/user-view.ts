import type { TenantStore } from '../database/store/tenant-store.ts';
import type { UserIdentityRow, UserRow } from '../database/tables/index.ts';
import type { User } from '../entities.ts';

/** Returns social identities by target, which identifies the connector. */
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

/** Returns the view of a user just created, without linked identities. */
export const newUserView = (user: UserRow): User => viewOf(user, []);

/** Returns the user as the API and events contain it: the row with its linked identities, without the password hash. */
export async function userView(store: TenantStore, user: UserRow, { includeSso = false } = {}): Promise<User> {
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('*');
  const view = viewOf(user, linked);
  return includeSso ? { ...view, ssoIdentities: ssoIdentitiesOf(linked) } : view;
}

/** Returns the views of several users, with one query for their linked identities. */
export async function userViews(store: TenantStore, users: readonly UserRow[]): Promise<User[]> {
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const linked = await store.from('userIdentities').whereIn('userId', ids).select('*');
  const byUser = Map.groupBy(linked, ({ userId }) => userId);
  return users.map((user) => viewOf(user, byUser.get(user.id) ?? []));
}
