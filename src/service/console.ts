import { type ConsoleParts, consoleRoutes } from '../console/routes.ts';
import { PUBLISHED_MS } from '../tokens/keys/key-rotation.ts';
import { DEFAULT_RETRY_SCHEDULE } from '../webhooks/sending/retry-schedule.ts';
import type { Foundation } from './foundation.ts';

/** The console, with the settings of the service that its pages state. */
export const serviceConsole = (
  { config: { webhooks, signingKeyRotationDays }, database, tenants, secrets, clock }: Foundation,
  parts: Pick<ConsoleParts, 'rows' | 'providerOf'>,
) =>
  consoleRoutes({
    ...parts,
    tenants,
    secrets,
    clock,
    commits: database.commits,
    settings: {
      retryScheduleSeconds: webhooks.retryScheduleSeconds ?? DEFAULT_RETRY_SCHEDULE,
      deliveryTimeoutMs: webhooks.timeoutMs,
      keyRotationDays: signingKeyRotationDays,
      keyPublishedMs: PUBLISHED_MS,
    },
  });
