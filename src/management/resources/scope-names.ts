import { ServiceError } from '../../errors.ts';

/** Scope names of OpenID Connect. A resource-bound token must never appear to have them. */
const RESERVED = new Set([
  'openid',
  'profile',
  'email',
  'phone',
  'address',
  'offline_access',
  'custom_data',
  'identities',
  'roles',
]);
const RESERVED_PREFIX = 'urn:logto:scope:';

/** @throws 400 `scope.name_with_space`, 422 `scope.name_reserved` */
export function checkScopeName(name: string): void {
  if (/\s/.test(name)) throw new ServiceError('scope.name_with_space');
  if (RESERVED.has(name) || name.startsWith(RESERVED_PREFIX)) throw new ServiceError('scope.name_reserved');
}
