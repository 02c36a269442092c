import type { UserRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { ServiceError } from '../errors.ts';
import type { Identifier } from './progress.ts';
import type { IdentifierType } from './settings.ts';

/** The column of `users` that holds each kind. */
export const columnOf = { username: 'username', email: 'primaryEmail', phone: 'primaryPhone' } as const;

const patterns: Record<IdentifierType, RegExp> = {
  username: /^[A-Za-z_]\w{0,127}$/,
  email: /^[^\s@]{1,64}@[^\s@]{1,63}$/,
  phone: /^\d{5,32}$/,
};

/** E-mail addresses in lower case; phone numbers as digits, without `+`, `00` and what groups them. */
export function normalize({ type, value }: Identifier): Identifier {
  const text = value.normalize('NFC').trim();
  if (type === 'email') return { type, value: text.toLowerCase() };
  if (type === 'phone') return { type, value: text.replace(/[\s()./-]/g, '').replace(/^(?:\+|00)/, '') };
  return { type, value: text };
}

const looksLike = (text: string): IdentifierType => {
  if (text.includes('@')) return 'email';
  return /^[+\d][\d\s()./-]*$/.test(text) ? 'phone' : 'username';
};

/** What was typed into the one field, as one of the kinds that may be used. @throws 422 `identifier.invalid` */
export function readIdentifier(text: string, allowed: readonly IdentifierType[]): Identifier {
  const type = looksLike(text.trim());
  const identifier = normalize({ type, value: text });
  if (!allowed.includes(type) || !patterns[type].test(identifier.value)) throw new ServiceError('identifier.invalid');
  return identifier;
}

/** The user of an identifier, if any. */
export async function findUser(store: TenantStore, { type, value }: Identifier): Promise<UserRow | undefined> {
  return store.find('users', { [columnOf[type]]: value });
}

/** @throws 422 `user.…_already_in_use` */
export async function requireFree(store: TenantStore, identifier: Identifier): Promise<void> {
  if (await findUser(store, identifier)) throw new ServiceError(`user.${identifier.type}_already_in_use`);
}
