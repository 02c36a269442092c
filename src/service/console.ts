import type { Config } from '../config/index.ts';
import { type ConsoleParts, consoleRoutes } from '../console/routes.ts';
import type { Database } from '../database/database.ts';
import { PUBLISHED_MS } from '../tokens/keys/key-rotation.ts';
import { DEFAULT_RETRY_SCHEDULE } from '../webhooks/sending/retry-schedule.ts';

/** The console, with the settings of the service that its pages state. */
export const serviceConsole = (
  { webhooks, signingKeyRotationDays }: Config,
  { database, ...parts }: Omit<ConsoleParts, 'commits' | 'settings'> & { database: Pick<Database, 'commits'> },
): ReturnType<typeof consoleRoutes> =>
  consoleRoutes({
    ...parts,
    commits: database.commits,
    settings: {
      retryScheduleSeconds: webhooks.retryScheduleSeconds ?? DEFAULT_RETRY_SCHEDULE,
      deliveryTimeoutMs: webhooks.timeoutMs,
      keyRotationDays: signingKeyRotationDays,
      keyPublishedMs: PUBLISHED_MS,
    },
  });
