import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Database } from '../database/database.ts';
import { removeDeletedTenants, sweepExpired } from '../database/retention.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../database/tables/index.ts';
import type { Job } from '../jobs/scheduler.ts';
import type { Tenants } from '../tenants.ts';
import { advanceKeys, dueStep, publishKey } from '../tokens/keys/key-rotation.ts';
import { takeDueKeySteps } from '../tokens/keys/scheduled-rotation.ts';
import { DEFAULT_ALGORITHM, generateSigningKey } from '../tokens/keys/signing-keys.ts';
import { recordBacklog } from '../webhooks/deliveries/backlog.ts';
import { clearDeliveries } from '../webhooks/deliveries/clearing.ts';
import { sweepWebhooks } from '../webhooks/deliveries/retention.ts';

export interface ServiceJobsParts {
  database: Database;
  tenants: Tenants;
  secrets: SecretBox;
  clock: Clock;
  /** Undefined: keys are replaced only where a tenant says so. */
  rotationDays: number | undefined;
}

/** A new key of the algorithm that signs now. */
async function publishAnother(
  store: TenantStore,
  keys: readonly Pick<SigningKeyRow, 'algorithm' | 'state'>[],
  { secrets, clock }: ServiceJobsParts,
): Promise<void> {
  const algorithm = keys.find(({ state }) => state === 'current')?.algorithm ?? DEFAULT_ALGORITHM;
  const now = clock();
  const prepared = await generateSigningKey(algorithm);
  await store.transaction((store) => publishKey(store, secrets, prepared, now));
}

/** Takes the steps of key rotation whose time has come, in every tenant. */
export function rotateSigningKeys(parts: ServiceJobsParts): Promise<void> {
  const { clock } = parts;
  return takeDueKeySteps(parts, {
    due: (keys, rotationDays) => dueStep(keys, clock(), rotationDays),
    advance: (store) => store.transaction((store) => advanceKeys(store, clock())),
    publish: (store, keys) => publishAnother(store, keys, parts),
  });
}

/** What runs by the clock, in the process that leads. */
export function serviceJobs(parts: ServiceJobsParts): Job[] {
  const { database, clock } = parts;
  return [
    { name: 'expiry', at: '*/5 * * * *', run: () => sweepExpired(database, clock()) },
    { name: 'backlog', at: '* * * * *', run: () => recordBacklog(database, clock()) },
    { name: 'webhook-clearing', at: '*/5 * * * * *', run: () => clearDeliveries(database) },
    { name: 'webhook-retention', at: '17 * * * *', run: () => sweepWebhooks(database, clock()) },
    { name: 'tenant-removal', at: '* * * * *', run: () => removeDeletedTenants(database) },
    { name: 'signing-keys', at: '* * * * *', run: () => rotateSigningKeys(parts) },
  ];
}
