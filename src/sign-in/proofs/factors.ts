import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserFactorRow } from '../../database/tables/index.ts';
import type { NewFactor } from '../interaction/progress.ts';

/** The purpose includes the row's id, so a factor copied to another row or tenant cannot be opened. */
export const factorPurposeOf = (tenantId: string, factorId: string): string => `user-factor:${tenantId}:${factorId}`;

export const openFactor = (store: TenantStore, secrets: SecretBox, factor: UserFactorRow): string =>
  secrets.open(factor.secretEncrypted, factorPurposeOf(store.tenantId, factor.id));

/**
 * Inserts a factor. An account has one authenticator app and one set of backup codes, so a new one replaces the old
 * one.
 */
export async function insertFactor(
  store: TenantStore,
  secrets: SecretBox,
  userId: string,
  { type, secret, details, lastUsedAt }: NewFactor,
  now: number,
): Promise<void> {
  if (type !== 'WebAuthn') await store.removeAll('userFactors', { userId, type });
  const id = newId();
  await store.insert('userFactors', {
    id,
    userId,
    type,
    secretEncrypted: secrets.seal(secret, factorPurposeOf(store.tenantId, id)),
    details,
    createdAt: now,
    lastUsedAt: lastUsedAt ?? null,
  });
}

export const factorsOf = async (store: TenantStore, userId: string): Promise<UserFactorRow[]> =>
  store.from('userFactors').where({ userId }).orderBy('createdAt').select('*');
