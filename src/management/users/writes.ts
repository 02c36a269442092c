import type { Static } from 'typebox';
import { normalEmail, normalPhone } from '../../base/email-and-phone.ts';
import { newShortId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Patch, UserRow } from '../../database/tables/index.ts';
import { User } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { newUserView } from '../../events/user-view.ts';
import type { optional } from '../shared/fields.ts';

const { username, primaryEmail, primaryPhone, name, avatar, customData, profile } = User.properties;

/** What a caller may set. */
export const UserFields = { username, primaryEmail, primaryPhone, name, avatar, customData, profile };
type UserFields = Static<ReturnType<typeof optional<typeof UserFields>>>;

/**
 * The one spelling of an address and a number, so that one mailbox or line is one account.
 *
 * @throws 422 `user.invalid_email`, `user.invalid_phone`
 */
export function normalized<T extends Pick<UserFields, 'primaryEmail' | 'primaryPhone'>>(fields: T): T {
  const email = fields.primaryEmail && normalEmail(fields.primaryEmail);
  const phone = fields.primaryPhone && normalPhone(fields.primaryPhone);
  if (fields.primaryEmail && !email) throw new ServiceError('user.invalid_email');
  if (fields.primaryPhone && !phone) throw new ServiceError('user.invalid_phone');
  return { ...fields, ...(email && { primaryEmail: email }), ...(phone && { primaryPhone: phone }) };
}

/** @throws 404 `entity.not_found`, 422 `entity.invalid_input` when there is nothing to change */
export function changeUser(store: TenantStore, id: string, patch: Patch<'users'>, now: number): Promise<UserRow> {
  const isEmpty = Object.keys(patch).length === 0;
  return store.update('users', { id }, isEmpty ? {} : { ...patch, updatedAt: now });
}

/** Roles marked as default are every new user's. */
async function giveDefaultRoles(store: TenantStore, userId: string): Promise<void> {
  const roles = await store.from('roles').where({ type: 'User', isDefault: true }).select('id');
  await store.add(
    'userRoles',
    roles.map(({ id }) => ({ userId, roleId: id })),
  );
}

export async function createUser(store: TenantStore, fields: UserFields, passwordHash: string | null, now: number) {
  const row = await store.insert('users', {
    username: null,
    primaryEmail: null,
    primaryPhone: null,
    name: null,
    avatar: null,
    applicationId: null,
    lastSignInAt: null,
    customData: {},
    profile: {},
    ...normalized(fields),
    id: newShortId(),
    passwordHash,
    isSuspended: false,
    createdAt: now,
    updatedAt: now,
  });
  await giveDefaultRoles(store, row.id);
  return newUserView(row);
}
