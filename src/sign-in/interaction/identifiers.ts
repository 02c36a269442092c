import { normalEmail, normalPhone } from '../../base/email-and-phone.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { IdentifierType } from '../settings.ts';
import type { Identifier } from './verification.ts';

/** The column of `users` for each type of identifier. */
export const columnOf = { username: 'username', email: 'primaryEmail', phone: 'primaryPhone' } as const;

const USERNAME = /^[A-Za-z_]\w{0,127}$/;

/**
 * Returns the canonical spelling of an identifier: see `email-and-phone.ts`.
 *
 * @throws 422 `identifier.invalid`, `user.invalid_phone`
 */
export function normalize({ type, value }: Identifier): Identifier {
  if (type === 'phone') {
    const phone = normalPhone(value);
    if (phone === undefined) throw new ServiceError('user.invalid_phone');
    return { type, value: phone };
  }
  const username = value.trim();
  const normal = type === 'email' ? normalEmail(value) : USERNAME.test(username) ? username : undefined;
  if (normal === undefined) throw new ServiceError('identifier.invalid');
  return { type, value: normal };
}

const looksLike = (text: string): IdentifierType => {
  if (text.includes('@')) return 'email';
  return /^[+\d][\d\s()./-]*$/.test(text) ? 'phone' : 'username';
};

/** Reads the text of the single field as one of the allowed types of identifier. @throws as `normalize` does */
export function readIdentifier(text: string, allowed: readonly IdentifierType[]): Identifier {
  const type = looksLike(text.normalize('NFKC').trim());
  if (!allowed.includes(type)) throw new ServiceError('identifier.invalid');
  return normalize({ type, value: text });
}

export async function findUser(store: TenantStore, { type, value }: Identifier): Promise<UserRow | undefined> {
  if (type === 'email') return store.find('users', { primaryEmail: value });
  if (type === 'phone') return store.find('users', { primaryPhone: value });
  return store.find('users', { username: value });
}

/** @throws 422 `user.…_already_in_use` */
export async function requireFree(store: TenantStore, identifier: Identifier): Promise<void> {
  if (await findUser(store, identifier)) throw new ServiceError(`user.${identifier.type}_already_in_use`);
}
