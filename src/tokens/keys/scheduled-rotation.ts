import type { Clock } from '../../base/clock.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Database } from '../../database/database.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import type { Tenants } from '../../tenants.ts';
import { advanceKeys, dueStep, type KeyState, publishKey } from './key-rotation.ts';
import { DEFAULT_ALGORITHM, generateSigningKey } from './signing-keys.ts';

interface ScheduledRotation {
  database: Database;
  tenants: Tenants;
  secrets: SecretBox;
  clock: Clock;
  /** For tenants without a setting of their own; undefined: never. */
  rotationDays: number | undefined;
}

/**
 * Takes the due steps of all tenants: one query for all, then a transaction for each tenant with a due step. Several
 * processes may take the same step; repeating one has no effect.
 */
export async function rotateSigningKeys(rotation: ScheduledRotation): Promise<void> {
  const { database, tenants, secrets, clock, rotationDays } = rotation;
  const columns = ['tenantId', 'algorithm', 'state', 'createdAt', 'retireAt'];
  const keys: (KeyState & Pick<SigningKeyRow, 'tenantId' | 'algorithm'>)[] = await database
    .reader('signingKeys')
    .select(columns);
  const configs: { tenantId: string; settings: { rotationDays: number | null } }[] = await database
    .reader('configs')
    .where({ key: 'key-rotation' })
    .select('tenantId', 'settings');
  const ownDays = new Map(configs.map(({ tenantId, settings }) => [tenantId, settings.rotationDays ?? undefined]));

  for (const [tenantId, ofTenant] of Map.groupBy(keys, (key) => key.tenantId)) {
    const step = dueStep(ofTenant, clock(), ownDays.get(tenantId) ?? rotationDays);
    const tenant = step && (await tenants.byId(tenantId));
    if (!tenant) continue;
    if (step === 'advance') {
      await tenant.store.transaction((store) => advanceKeys(store, clock()));
    } else {
      const now = clock();
      const current = ofTenant.find(({ state }) => state === 'current');
      const prepared = await generateSigningKey(current?.algorithm ?? DEFAULT_ALGORITHM);
      await tenant.store.transaction((store) => publishKey(store, secrets, prepared, now));
    }
  }
}
