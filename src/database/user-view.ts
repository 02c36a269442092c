import type { User } from '../entities.ts';
import type { UserRow } from './tables.ts';
import type { TenantStore } from './tenant-store.ts';

/** The user as the API returns it and events carry it: the row, what is linked to it, and never its password. */
export async function userView(store: TenantStore, user: UserRow): Promise<User> {
  const { passwordHash, ...fields } = user;
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('*');
  return {
    ...fields,
    hasPassword: passwordHash !== null,
    identities: Object.fromEntries(
      linked
        .filter(({ isSso }) => !isSso)
        .map(({ target, externalId, details }) => [target, { userId: externalId, details }]),
    ),
    ssoIdentities: linked
      .filter(({ isSso }) => isSso)
      .map(({ target, externalId, details }) => ({ target, identityId: externalId, detail: details })),
  };
}
