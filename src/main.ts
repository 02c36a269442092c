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

/** Faults of the surroundings, told in a line; anything else is ours and keeps its stack. */
const EXPECTED = [
  DatabaseInUseError,
  DatabaseUnreachableError,
  ListenError,
  MissingLayerError,
  NewerDatabaseError,
  SecretKeyError,
];

/** Longer than any request and any webhook attempt may take. */
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
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    service.close().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

process.umask(0o077); // Keys, credentials, people: whatever this process writes is for its user alone.
expectNoMore();
try {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  if (config.webhooks.loopbackByDefault) {
    logger.info(
      'webhooks may go to loopback addresses, because ENDPOINT is loopback; set WEBHOOK_ALLOWED_NETWORKS to decide otherwise',
    );
  }
  if (!config.isLoopback && config.endpoint.startsWith('http:'))
    logger.warn(
      'ENDPOINT is http and not of this machine: passwords, tokens and cookies travel in the clear; put a proxy in front that speaks TLS, and set ENDPOINT to its https URL',
    );
  const service = await startService(config, logger);
  stopOnSignal(service, logger);
  if (service.credentials)
    console.log(
      describeFirstStart(service.credentials, { dataDir: config.dataDir, isTerminal: process.stdout.isTTY === true }),
    );
  logger.info(
    { endpoint: service.endpoint, database: config.databaseUrl ? 'postgres' : 'sqlite' },
    'understudy is ready',
  );
} catch (error) {
  fail(error);
}
