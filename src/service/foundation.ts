import type { Clock } from '../base/clock.ts';
import type { Closing } from '../base/closing.ts';
import { SecretBox } from '../base/secret-box.ts';
import type { Config } from '../config/index.ts';
import { TenantCache } from '../database/notices/tenant-cache.ts';
import { openDatabase } from '../database/open.ts';
import { configurationTables } from '../database/tables/index.ts';
import { AddressGuard } from '../net/address-guard.ts';
import { HttpClient } from '../net/http-client.ts';
import type { Logger } from '../observe/logger.ts';
import { Tracing } from '../observe/tracing.ts';
import type { SandboxOptions, ScriptSandbox } from '../script-runners/sandbox.ts';
import { addressInForce, addressWarning, updateCredentials } from '../setup/address.ts';
import { firstStart } from '../setup/first-start.ts';
import { checkFingerprint, loadSecretKey } from '../setup/secret-key.ts';
import type { Passwords } from '../sign-in/proofs/passwords.ts';
import { DEFAULT_TENANT, Tenants } from '../tenants.ts';
import { sealStoredHeaders } from '../webhooks/sending/hook-headers.ts';
import { serviceMetrics } from './metrics.ts';
import { tracedDatabase } from './tracing.ts';

/**
 * How long a process may miss a change by another process if the notice is lost. Shorter for the revocation of a token.
 */
const CONFIGURATION_MS = 5_000;
const REVOCATIONS_MS = 1_000;

export interface ServiceParts {
  logger: Logger;
  /** For tests that move time. Timers, and the checks that oidc-provider makes itself, follow the system's clock. */
  clock: Clock;
  /** For tests that compare the work of two sign-ins. */
  passwords: Passwords;
  /** For tests that run no script and need no runners. */
  startSandbox: (options: SandboxOptions) => Promise<ScriptSandbox>;
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

/** Opens the database, sets it up at the first start, and builds what most other parts need. */
export async function openFoundation(given: ServiceParts & { config: Config; closing: Closing }) {
  const { config, closing, logger, clock, passwords } = given;
  const secrets = new SecretBox(config.secretKey ?? (await loadSecretKey(config.dataDir)), config.previousSecretKey);
  const observers = config.metricsPort === undefined ? undefined : serviceMetrics();
  const tracing = config.tracing && (await Tracing.start(config.tracing));
  closing.add(() => tracing?.stop());
  const opened = await openDatabase(config, logger, closing, { metrics: observers?.database });
  const database = tracedDatabase(opened, tracing);
  await checkFingerprint(database, secrets);
  await sealStoredHeaders(database, secrets);
  const hashPassword = (password: string) =>
    passwords.hash(password, { tenantId: DEFAULT_TENANT, isInteractive: true });
  const credentials = await firstStart({ config, database, secrets, hashPassword, now: clock() });

  const address = await addressInForce(database);
  const warning = addressWarning(config, address);
  if (warning) logger.warn(warning);
  await updateCredentials(config.dataDir, address).catch((err) =>
    logger.warn({ err }, 'The address in credentials.json could not be updated'),
  );

  const guard = new AddressGuard({ allowedNetworks: config.webhooks.allowedNetworks });
  const client = new HttpClient({ guard, proxyUrl: config.webhooks.proxyUrl });
  closing.add(() => client.close());
  const tenants = new Tenants(database, clock);
  const { commits } = database;
  const caches = {
    configuration: new TenantCache({ commits, clock, tables: configurationTables, maxAgeMs: CONFIGURATION_MS }),
    revocations: new TenantCache({ commits, clock, tables: ['revokedTokens'], maxAgeMs: REVOCATIONS_MS }),
    // No write clears it: revoking many tokens must not rebuild the list each time.
    revokedLists: new TenantCache({ commits, clock, tables: [], maxAgeMs: REVOCATIONS_MS }),
  };
  const { endpoint } = address;
  return { ...given, secrets, observers, tracing, database, credentials, endpoint, tenants, caches, guard, client };
}
