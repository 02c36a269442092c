import { isIPv6 } from 'node:net';
import type { RequestHandler } from 'express';
import { Closing } from '../base/closing.ts';
import type { Config } from '../config/index.ts';
import { createApp } from '../http/server/app.ts';
import { healthRoutes, readinessOf } from '../http/server/health.ts';
import { oidcEndpoint } from '../oidc/endpoint.ts';
import { insertedMetadataPath } from '../oidc/metadata.ts';
import { Sandbox } from '../script-runners/sandbox.ts';
import type { FirstStart } from '../setup/first-start.ts';
import { Messenger } from '../sign-in/messages/messenger.ts';
import { sendBusyPage } from '../sign-in/pages/busy-page.ts';
import { Passwords } from '../sign-in/proofs/passwords.ts';
import { signInRoutes } from '../sign-in/routes/index.ts';
import type { Tenant } from '../tenants.ts';
import { revokedTokensEndpoint } from '../tokens/revocation/revoked-tokens.ts';
import { serviceApis } from './apis.ts';
import { startBackground } from './background.ts';
import { serviceConsole } from './console.ts';
import { type Foundation, openFoundation, type ServiceParts } from './foundation.ts';
import { serveHttp } from './http.ts';
import { startIssuing } from './issuing.ts';

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
export async function startService(
  config: Config,
  parts: Pick<ServiceParts, 'logger'> & Partial<ServiceParts>,
): Promise<Service> {
  const closing = new Closing();
  try {
    const startSandbox: ServiceParts['startSandbox'] = (options) => Sandbox.start(options);
    const foundation = { clock: Date.now, passwords: new Passwords(), startSandbox, ...parts, config, closing };
    return await build(await openFoundation(foundation));
  } catch (error) {
    await closing.run().catch((err) => parts.logger.error({ err }, 'The service did not close cleanly.'));
    throw error;
  }
}

async function build(foundation: Foundation): Promise<Service> {
  const issuing = await startIssuing(foundation);
  const { leader } = await startBackground(foundation);

  const { config, closing, logger, clock, passwords, secrets, observers, tracing } = foundation;
  const { database, tenants, caches, client, endpoint, credentials } = foundation;
  const { sandbox, rateLimits, providers } = issuing;
  const { management, admin, rows } = serviceApis(foundation, issuing);
  const providerOf = async (tenant: Tenant) => (await providers.of(tenant)).provider;
  const administration = serviceConsole(foundation, { rows, providerOf });
  const messenger = new Messenger({ ...config.messages, logger, clock });
  closing.add(() => messenger.close());

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
        revokedTokens: revokedTokensEndpoint(clock, caches.revokedLists),
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
        passwords,
        client,
        onOutcome: observers?.onSignIn,
        onLimited: observers?.onLimited,
      }),
    });

  const port = await serveHttp(foundation, issuing, readiness, makeApp);
  closing.add(() => administration.close()); // Before the server, which waits for open responses.
  return {
    url: `http://${isIPv6(config.host ?? '') ? `[${config.host}]` : (config.host ?? 'localhost')}:${port}`,
    endpoint,
    credentials,
    close() {
      isServing = false;
      return closing.run();
    },
  };
}
