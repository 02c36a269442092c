import type { Static } from 'typebox';
import { normalEmail, normalPhone } from '../../base/email-and-phone.ts';
import { newShortId } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Patch, UserRow } from '../../database/tables/index.ts';
import { User } from '../../entities.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { newUserView, userView } from '../../events/user-view.ts';
import type { optional } from '../shared/fields.ts';

const { username, primaryEmail, primaryPhone, name, avatar, customData, profile } = User.properties;

/** The fields that a caller can set. */
export const UserFields = { username, primaryEmail, primaryPhone, name, avatar, customData, profile };
type UserFields = Static<ReturnType<typeof optional<typeof UserFields>>>;

/**
 * Returns the fields with the canonical spelling of email address and phone number, so that each belongs to one
 * account.
 *
 * @throws 422 `user.invalid_email`, `user.invalid_phone`
 */
export function withNormalizedIdentifiers<T extends Pick<UserFields, 'primaryEmail' | 'primaryPhone'>>(fields: T): T {
  const email = fields.primaryEmail && normalEmail(fields.primaryEmail);
  const phone = fields.primaryPhone && normalPhone(fields.primaryPhone);
  const badEmail = fields.primaryEmail && !email && 'user.invalid_email';
  const badPhone = fields.primaryPhone && !phone && 'user.invalid_phone';
  const code = badEmail || badPhone;
  if (code) {
    const details = [
      badEmail && `body.primaryEmail: ${messageOf(badEmail)}`,
      badPhone && `body.primaryPhone: ${messageOf(badPhone)}`,
    ];
    throw new ServiceError(code, { details: details.filter(Boolean).join('\n') });
  }
  return { ...fields, ...(email && { primaryEmail: email }), ...(phone && { primaryPhone: phone }) };
}

/** @throws 404 `entity.not_found`, 422 `entity.invalid_input` when there is nothing to change */
export function changeUser(store: TenantStore, id: string, patch: Patch<'users'>, now: number): Promise<UserRow> {
  const isEmpty = Object.keys(patch).length === 0;
  return store.update('users', { id }, isEmpty ? {} : { ...patch, updatedAt: now });
}

/** Updates `updatedAt` after a change of the user's factors or identities. @throws 404 `entity.not_found` */
export async function touchUser(store: TenantStore, id: string, now: number): Promise<User> {
  return userView(store, await changeUser(store, id, { updatedAt: now }, now));
}

/** Assigns the roles that are marked as default. */
async function assignDefaultRoles(store: TenantStore, userId: string): Promise<void> {
  const roles = await store.from('roles').where({ type: 'User', isDefault: true }).select('id');
  const rows = roles.map(({ id }) => ({ userId, roleId: id }));
  await store.add('userRoles', rows);
}

export async function createUser(store: TenantStore, fields: UserFields, passwordHash: string | null, now: number) {
  const row = await store.insert('users', {
    customData: {},
    profile: {},
    ...withNormalizedIdentifiers(fields),
    id: newShortId(),
    passwordHash,
    isSuspended: false,
    createdAt: now,
    updatedAt: now,
  });
  await assignDefaultRoles(store, row.id);
  return newUserView(row);
}
