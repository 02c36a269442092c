import type { Clock } from './clock.ts';
import type { Database } from './database/connect.ts';
import type { SigningKeyRow } from './database/tables.ts';
import type { TenantStore } from './database/tenant-store.ts';
import { noteBacklog } from './jobs/backlog.ts';
import { sweepExpired } from './jobs/expiry.ts';
import type { Job } from './jobs/scheduler.ts';
import { turnSigningKeys } from './jobs/signing-keys.ts';
import { removeDeletedTenants } from './jobs/tenant-removal.ts';
import { advanceKeys, dueStep, publishKey } from './oidc/key-rotation.ts';
import { DEFAULT_ALGORITHM, generateSigningKey } from './oidc/signing-keys.ts';
import type { SecretBox } from './secret-box.ts';
import type { Tenants } from './tenants.ts';
import { clearDeliveries } from './webhooks/clearing.ts';
import { sweepWebhooks } from './webhooks/retention.ts';

export interface ServiceJobsParts {
  database: Database;
  tenants: Tenants;
  secrets: SecretBox;
  clock: Clock;
  /** Undefined: keys are only rotated for tenants that configure it. */
  rotationDays: number | undefined;
}

/** Publishes a new key with the algorithm of the current one. */
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

/** Performs the due steps of key rotation in every tenant. */
export function rotateSigningKeys(parts: ServiceJobsParts): Promise<void> {
  const { clock } = parts;
  return turnSigningKeys(parts, {
    due: (keys, rotationDays) => dueStep(keys, clock(), rotationDays),
    advance: (store) => store.transaction((store) => advanceKeys(store, clock())),
    publish: (store, keys) => publishAnother(store, keys, parts),
  });
}

/** Returns the scheduled jobs, which run in the leading process. */
export function serviceJobs(parts: ServiceJobsParts): Job[] {
  const { database, clock } = parts;
  return [
    { name: 'expiry', at: '*/5 * * * *', run: () => sweepExpired(database, clock()) },
    { name: 'backlog', at: '* * * * *', run: () => noteBacklog(database, clock()) },
    { name: 'webhook-clearing', at: '*/5 * * * * *', run: () => clearDeliveries(database) },
    { name: 'webhook-retention', at: '17 * * * *', run: () => sweepWebhooks(database, clock()) },
    { name: 'tenant-removal', at: '* * * * *', run: () => removeDeletedTenants(database) },
    { name: 'signing-keys', at: '* * * * *', run: () => rotateSigningKeys(parts) },
  ];
}
