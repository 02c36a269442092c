import { ConfigError, readConfig } from './config/index.ts';
import { DatabaseInUseError } from './database/drivers/process-lock.ts';
import { DatabaseUnreachableError } from './database/drivers/wait.ts';
import { NewerDatabaseError } from './database/migrate.ts';
import { ListenError } from './http/server/server.ts';
import { expectNoMore } from './observe/expected-warnings.ts'; // Ahead of ./service.ts, which loads the library.
import { createLogger, type Logger } from './observe/logger.ts';
import { MissingLayerError } from './script-runners/process/hardening.ts';
import { type Service, startService } from './service/index.ts';
import { describeFirstStart } from './setup/first-start.ts';
import { SecretKeyError } from './setup/secret-key.ts';

/**
 * Faults of the environment, which are reported in one line. Any other error is a bug and is printed with its stack.
 */
const EXPECTED = [
  DatabaseInUseError,
  DatabaseUnreachableError,
  ListenError,
  MissingLayerError,
  NewerDatabaseError,
  SecretKeyError,
];

/** The process exits after this time in any case. Requests get 30 s to finish; a webhook attempt takes at most 30 s. */
const DRAIN_MS = 45_000;

function fail(error: unknown): never {
  if (error instanceof ConfigError) for (const fault of error.faults) console.error(fault);
  else if (EXPECTED.some((kind) => error instanceof kind)) console.error((error as Error).message);
  else console.error(error);
  process.exit(1);
}

function stopOnSignal(service: Service, logger: Logger): void {
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'Stopping');
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    service.close().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

// Files that this process writes contain keys, credentials and personal data: only its user may read them.
process.umask(0o077);
expectNoMore();
try {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  if (config.webhooks.loopbackByDefault) {
    logger.info(
      'Webhooks may use loopback addresses, because ENDPOINT is loopback. Set WEBHOOK_ALLOWED_NETWORKS to change that.',
    );
  }
  if (!config.isLoopback && config.endpoint.startsWith('http:'))
    logger.warn(
      'ENDPOINT is http on another host, so passwords, tokens and cookies are not encrypted. Put a TLS proxy in front and set ENDPOINT to its https URL.',
    );
  const service = await startService(config, { logger });
  stopOnSignal(service, logger);
  if (service.credentials) console.log(describeFirstStart(service.credentials, config.dataDir, process.stdout.isTTY));
  logger.info(
    { endpoint: service.endpoint, database: config.databaseUrl ? 'postgres' : 'sqlite' },
    'understudy is ready',
  );
} catch (error) {
  fail(error);
}
