import { removeDeletedTenants, sweepExpired } from '../database/retention.ts';
import { Leader } from '../jobs/leader.ts';
import { type Job, startJobs } from '../jobs/scheduler.ts';
import { rotateSigningKeys } from '../tokens/keys/scheduled-rotation.ts';
import { readBacklog, recordBacklog } from '../webhooks/deliveries/backlog.ts';
import { clearDeliveries } from '../webhooks/deliveries/clearing.ts';
import { sweepWebhooks } from '../webhooks/deliveries/retention.ts';
import { webhookGauges } from '../webhooks/sending/metrics.ts';
import { WebhookPoller } from '../webhooks/sending/poller.ts';
import type { Foundation } from './foundation.ts';
import { tracedClient } from './tracing.ts';

/** Starts the work that no request waits for: sending webhooks, and the scheduled jobs of the leading process. */
export async function startBackground(foundation: Foundation): Promise<{ leader: Leader }> {
  const { config, database, client, secrets, logger, clock, closing, observers, tracing } = foundation;
  const poller = new WebhookPoller({
    database,
    client: tracedClient(client, tracing),
    secrets,
    logger,
    clock,
    settings: config.webhooks,
    ...observers?.webhooks,
  });
  const backlog = () => readBacklog(database, clock());
  if (observers) webhookGauges(observers.registry, () => poller.stats(), backlog, clock);
  await poller.start();
  closing.add(() => poller.stop());
  const leader = new Leader(database, logger);
  closing.add(() => leader.stop());
  await leader.start();
  const jobs = startJobs(serviceJobs(foundation), leader, logger);
  closing.add(() => jobs.stop());
  return { leader };
}

/** Returns the scheduled jobs, which run in the leading process. */
function serviceJobs({ config, database, tenants, secrets, clock }: Foundation): Job[] {
  const rotation = { database, tenants, secrets, clock, rotationDays: config.signingKeyRotationDays };
  return [
    { name: 'expiry', at: '*/5 * * * *', run: () => sweepExpired(database, clock()) },
    { name: 'backlog', at: '* * * * *', run: () => recordBacklog(database, clock()) },
    { name: 'webhook-clearing', at: '*/5 * * * * *', run: () => clearDeliveries(database) },
    { name: 'webhook-retention', at: '17 * * * *', run: () => sweepWebhooks(database, clock()) },
    { name: 'tenant-removal', at: '* * * * *', run: () => removeDeletedTenants(database) },
    { name: 'signing-keys', at: '* * * * *', run: () => rotateSigningKeys(rotation) },
  ];
}
