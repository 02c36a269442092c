import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { UserFactorRow } from '../../database/tables/index.ts';
import type { NewFactor } from '../interaction/progress.ts';

/** Bound to its row, so that a factor copied to another row, or tenant, does not open. */
export const factorPurposeOf = (tenantId: string, factorId: string): string => `user-factor:${tenantId}:${factorId}`;

export const openFactor = (store: TenantStore, secrets: SecretBox, factor: UserFactorRow): string =>
  secrets.open(factor.secretEncrypted, factorPurposeOf(store.tenantId, factor.id));

interface Insertion {
  userId: string;
  factor: NewFactor;
  now: number;
}

/** Backup codes and the authenticator app are one of a kind: a new one takes the place of the old. */
export async function insertFactor(
  store: TenantStore,
  secrets: SecretBox,
  { userId, factor, now }: Insertion,
): Promise<UserFactorRow> {
  const { type, secret, details, lastUsedAt = null } = factor;
  if (type !== 'WebAuthn') await store.removeAll('userFactors', { userId, type });
  const id = newId();
  return store.insert('userFactors', {
    id,
    userId,
    type,
    secretEncrypted: secrets.seal(secret, factorPurposeOf(store.tenantId, id)),
    details,
    createdAt: now,
    lastUsedAt,
  });
}

export const factorsOf = async (store: TenantStore, userId: string): Promise<UserFactorRow[]> =>
  store.from('userFactors').where({ userId }).orderBy('createdAt').select('*');
