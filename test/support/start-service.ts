import type { DestinationStream } from 'pino';
import { readConfig } from '../../src/config/index.ts';
import { createLogger } from '../../src/observe/logger.ts';
import type { SandboxOptions } from '../../src/script-runners/sandbox.ts';
import type { ServiceParts } from '../../src/service/foundation.ts';
import { type Service, startService as start } from '../../src/service/index.ts';
import type { FirstStart } from '../../src/setup/first-start.ts';
import { ManagementClient } from './call.ts';
import { createMigrated, type Database, type DatabaseKind } from './databases.ts';
import { freePort } from './free-port.ts';
import { MovableTime } from './movable-time.ts';
import { sandboxOnDemand } from './sandbox-on-demand.ts';

export interface TestService extends AsyncDisposable {
  /** The tenant's endpoint. */
  url: string;
  /** The URL at which this process listens, independent of its endpoint. */
  localUrl: string;
  dataDir: string;
  databaseUrl: string | undefined;
  credentials: FirstStart & { demo: NonNullable<FirstStart['demo']> };
  /** A client of the default tenant's Management API, as its first machine-to-machine application. */
  api: ManagementClient;
  time: MovableTime;
  /** Stops the service and keeps the database, so that another can start on it. */
  stop(): Promise<void>;
}

interface TestParts extends Partial<Pick<ServiceParts, 'passwords' | 'startSandbox'>>, Pick<SandboxOptions, 'harden'> {
  log?: DestinationStream;
}

/**
 * Starts a complete service in this process, on its own database, with the demonstration. `env` adds to or replaces its
 * environment; the sandbox starts with the first script, unless `startSandbox` starts it; `harden` configures sandbox hardening that operators cannot change; `log` receives the log lines. On
 * PostgreSQL a second service can start on the same `database`.
 */
export async function startService(
  kind: DatabaseKind,
  env: Record<string, string> = {},
  shared?: Database,
  { log, harden, ...parts }: TestParts = {},
): Promise<TestService> {
  const database = shared ?? (await createMigrated(kind));
  const port = await freePort();
  const config = readConfig({
    PORT: String(port),
    DATA_DIR: database.dataDir,
    ...(database.url && { DATABASE_URL: database.url }),
    LOG_LEVEL: 'silent',
    SANDBOX_RUNNERS: '1',
    ...env,
  });
  const sandbox = { ...config.sandbox, harden };
  const time = new MovableTime();
  const logger = createLogger(config.logLevel, log);
  const service: Service = await start(
    { ...config, sandbox },
    {
      logger,
      clock: time.now,
      startSandbox: sandboxOnDemand,
      ...parts,
    },
  );
  const credentials = service.credentials as TestService['credentials'];
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await service.close();
    isStopped = true;
  };
  return {
    url: config.endpoint,
    localUrl: service.url,
    dataDir: database.dataDir,
    databaseUrl: database.url,
    credentials,
    api: new ManagementClient(config.endpoint, config.managementApiIndicator, credentials?.machine),
    time,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      if (!shared) await database[Symbol.asyncDispose]();
    },
  };
}
