import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { AuditBatch } from '../audit/batch.ts';
import { TokenAudit } from '../audit/token-audit.ts';
import { systemClock } from '../base/clock.ts';
import { Closing } from '../base/closing.ts';
import { SecretBox } from '../base/secret-box.ts';
import type { Config } from '../config/index.ts';
import { CustomClaims } from '../custom-claims/claims.ts';
import { RunLog } from '../custom-claims/run-log.ts';
import { openDatabase } from '../database/open.ts';
import { FigureWriter } from '../database/statistics/figure-writer.ts';
import { RateLimits } from '../http/rate-limits/rate-limits.ts';
import { createApp } from '../http/server/app.ts';
import { healthRoutes, readinessOf } from '../http/server/health.ts';
import { Leader } from '../jobs/leader.ts';
import { startJobs } from '../jobs/scheduler.ts';
import { AddressGuard } from '../net/address-guard.ts';
import { HttpClient } from '../net/http-client.ts';
import type { Logger } from '../observe/logger.ts';
import { Tracing } from '../observe/tracing.ts';
import { oidcEndpoint } from '../oidc/endpoint.ts';
import { insertedMetadataPath } from '../oidc/metadata.ts';
import { Providers } from '../oidc/providers.ts';
import { Sandbox } from '../script-runners/sandbox.ts';
import { scriptFetch } from '../script-runners/script-fetch.ts';
import { addressInForce, addressWarning, updateCredentials } from '../setup/address.ts';
import { type FirstStart, firstStart } from '../setup/first-start.ts';
import { checkFingerprint, loadSecretKey } from '../setup/secret-key.ts';
import { Messenger } from '../sign-in/messages/messenger.ts';
import { sendBusyPage } from '../sign-in/pages/busy-page.ts';
import { hashPassword } from '../sign-in/proofs/passwords.ts';
import { signInRoutes } from '../sign-in/routes/index.ts';
import { providerPages } from '../sign-in/routes/provider-pages.ts';
import { DEFAULT_TENANT, type Tenant, Tenants } from '../tenants.ts';
import { ManagementAccess } from '../tokens/resources/management-access.ts';
import { revokedTokensEndpoint } from '../tokens/revocation/revoked-tokens.ts';
import { readBacklog } from '../webhooks/deliveries/backlog.ts';
import { sealStoredHeaders } from '../webhooks/sending/hook-headers.ts';
import { webhookMetrics } from '../webhooks/sending/metrics.ts';
import { WebhookPoller } from '../webhooks/sending/poller.ts';
import { serviceApis } from './apis.ts';
import { serviceCaches } from './caches.ts';
import { serviceCalls } from './calls.ts';
import { serviceConsole } from './console.ts';
import { serveHttp } from './http.ts';
import { serviceJobs } from './jobs.ts';
import { serviceMetrics } from './metrics.ts';
import { sqliteViews } from './sqlite-views.ts';
import { tracedClient, tracedDatabase, tracedSandbox } from './tracing.ts';

export interface Service {
  /** The URL on which the service listens, with an address of this machine. */
  url: string;
  /**
   * The default tenant's endpoint from the database: `ENDPOINT` at the first start, or the address it was changed to.
   */
  endpoint: string;
  /** Undefined except at the first start. */
  credentials: FirstStart | undefined;
  /** Stops accepting requests, finishes those in progress, and closes everything. */
  close(): Promise<void>;
}

/** The composition root: builds every part and connects them. */
export async function startService(config: Config, logger: Logger): Promise<Service> {
  const closing = new Closing();
  try {
    return await build(config, logger, closing);
  } catch (error) {
    await closing.run().catch((err) => logger.error({ err }, 'The service did not close cleanly.'));
    throw error;
  }
}

async function build(config: Config, logger: Logger, closing: Closing): Promise<Service> {
  const clock = systemClock;
  const secrets = new SecretBox(config.secretKey ?? (await loadSecretKey(config.dataDir)), config.previousSecretKey);
  const observers = config.metricsPort === undefined ? undefined : serviceMetrics(() => sandbox.status());
  const tracing = config.tracing && (await Tracing.start(config.tracing));
  closing.add(() => tracing?.stop());
  const opened = await openDatabase(config, logger, closing, { metrics: observers?.database, sqliteViews });
  const database = tracedDatabase(opened, tracing);
  await checkFingerprint(database, secrets);
  await sealStoredHeaders(database, secrets);
  const hash = (password: string) => hashPassword(password, { tenantId: DEFAULT_TENANT, isInteractive: true });
  const credentials = await firstStart({ config, database, secrets, hashPassword: hash, now: clock() });

  const address = await addressInForce(database);
  const warning = addressWarning(config, address);
  if (warning) logger.warn(warning);
  await updateCredentials(config.dataDir, address).catch((err) =>
    logger.warn({ err }, 'The address in credentials.json could not be updated'),
  );

  const tenants = new Tenants(database, clock);
  const { cache, revocations, revokedLists } = serviceCaches(database.commits, clock);
  const guard = new AddressGuard({ allowedNetworks: config.webhooks.allowedNetworks });
  const client = new HttpClient({ guard, proxyUrl: config.webhooks.proxyUrl });
  closing.add(() => client.close());

  const { fetchAllowedHosts: allowedHosts } = config.sandbox;
  const sandbox: Sandbox = await Sandbox.start({
    ...config.sandbox,
    logger,
    observer: observers?.sandbox,
    fetch:
      allowedHosts.length > 0 ? scriptFetch({ client, allowedHosts, deadlineMs: config.sandbox.timeoutMs }) : undefined,
  });
  closing.add(() => sandbox.close());

  const figures = new FigureWriter(database, logger);
  closing.add(() => figures.close());
  const audit = new AuditBatch({ database, onError: (err) => logger.error({ err }, 'Audit entries were not written') });
  closing.add(() => audit.flush());
  const tokenAudit = new TokenAudit(audit);
  closing.add(() => tokenAudit.close());
  const { token, subjectTokens, authorization } = config.rateLimits;
  const rateLimits = new RateLimits({
    limits: { token, 'subject-tokens': subjectTokens, authorization },
    database,
    clock,
    logger,
    onLimited: observers?.onLimited,
  });
  closing.add(() => rateLimits.close());
  const runs = new RunLog(logger);
  closing.add(() => runs.flush());
  const customClaims = new CustomClaims({
    sandbox: tracedSandbox(sandbox, tracing),
    limits: config.sandbox,
    cache,
    secrets,
    runs,
    clock,
  });
  const messenger = new Messenger({ ...config.messages, logger });
  closing.add(() => messenger.close());
  const access = new ManagementAccess(cache);
  const providers = new Providers({
    cache,
    secrets,
    clock,
    logger,
    customClaims,
    audit: tokenAudit,
    access,
    pages: providerPages,
    observe: observers?.tokens,
    tracing,
  });

  const poller: WebhookPoller = new WebhookPoller({
    database,
    client: tracedClient(client, tracing),
    secrets,
    logger,
    clock,
    settings: config.webhooks,
    ...(observers &&
      webhookMetrics(observers.registry, {
        stats: () => poller.stats(),
        backlog: () => readBacklog(database, clock()),
        clock,
      })),
  });
  await poller.start();
  closing.add(() => poller.stop());
  const rotationDays = config.signingKeyRotationDays;
  const leader = new Leader(database, logger);
  closing.add(() => leader.stop());
  await leader.start();
  const jobs = startJobs(serviceJobs({ database, tenants, secrets, clock, rotationDays }), leader, logger);
  closing.add(() => jobs.stop());

  const { management, admin, rows } = serviceApis({
    cache,
    revocations,
    providers,
    refusals: audit,
    rateLimits,
    services: serviceCalls({
      sandbox,
      guard,
      client,
      clock,
      scriptLimits: config.sandbox,
      webhookLimits: { deadlineMs: config.webhooks.timeoutMs, maxResponseBytes: config.webhooks.maxResponseBytes },
    }),
    secrets,
    clock,
  });
  const providerOf = async (tenant: Tenant) => (await providers.of(tenant)).provider;
  const administration = serviceConsole(config, { tenants, rows, database, secrets, clock, providerOf });

  let isServing = true;
  const readiness = readinessOf({
    database: () => database.reader.raw('select 1'),
    isServing: () => isServing,
    details: () => ({ sandbox: sandbox.readiness(), isLeading: leader.isLeading }),
  });
  const makeApp = (shedLoad: RequestHandler) =>
    createApp({
      tenants,
      logger,
      tracing,
      trustProxy: config.trustProxy,
      health: healthRoutes(readiness),
      shedLoad,
      oidc: oidcEndpoint({
        providers,
        rateLimits,
        revokedTokens: revokedTokensEndpoint(clock, revokedLists),
        sendBusyPage,
      }),
      metadataPath: insertedMetadataPath,
      management,
      admin,
      console: administration.router,
      signIn: signInRoutes({
        providerOf,
        secrets,
        clock,
        logger,
        messenger,
        client,
        onOutcome: observers?.onSignIn,
        onLimited: observers?.onLimited,
      }),
    });

  const port = await serveHttp({ config, closing, database, audit, observers, readiness }, makeApp);
  closing.add(() => administration.close()); // Before the server, which waits for open responses.
  return {
    url: `http://${isIPv6(config.host ?? '') ? `[${config.host}]` : (config.host ?? 'localhost')}:${port}`,
    endpoint: address.endpoint,
    credentials,
    close() {
      isServing = false;
      return closing.run();
    },
  };
}
