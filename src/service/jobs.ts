import { removeDeletedTenants, sweepExpired } from '../database/retention.ts';
import type { Job } from '../jobs/scheduler.ts';
import { rotateSigningKeys, type ScheduledRotation } from '../tokens/keys/scheduled-rotation.ts';
import { recordBacklog } from '../webhooks/deliveries/backlog.ts';
import { clearDeliveries } from '../webhooks/deliveries/clearing.ts';
import { sweepWebhooks } from '../webhooks/deliveries/retention.ts';

/** Returns the scheduled jobs, which run in the leading process. */
export function serviceJobs(parts: ScheduledRotation): Job[] {
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
