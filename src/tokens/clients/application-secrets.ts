import { newSecret } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ApplicationRow, ApplicationSecretRow } from '../../database/tables/index.ts';

/** True for a confidential client, which authenticates with a secret (RFC 6749 §2.1). */
export const isConfidential = ({ type }: Pick<ApplicationRow, 'type'>): boolean =>
  type === 'Traditional' || type === 'MachineToMachine';

export const secretPurposeOf = (tenantId: string, applicationId: string, name: string): string =>
  `application-secret:${tenantId}:${applicationId}:${name}`;

/** Stores a new secret of an application and returns it with its value. @throws 422 `application.secret_name_exists` */
export async function addSecret(
  store: TenantStore,
  secrets: SecretBox,
  {
    applicationId,
    name,
    expiresAt = null,
    now,
  }: { applicationId: string; name: string; expiresAt?: number | null; now: number },
): Promise<ApplicationSecretRow & { value: string }> {
  const value = newSecret();
  const valueEncrypted = secrets.seal(value, secretPurposeOf(store.tenantId, applicationId, name));
  const row = { applicationId, name, valueEncrypted, createdAt: now, expiresAt };
  return { ...(await store.insert('applicationSecrets', row)), value };
}
