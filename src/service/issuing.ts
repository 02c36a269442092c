import { AuditBatch } from '../audit/batch.ts';
import { TokenAudit } from '../audit/token-audit.ts';
import { CustomClaims } from '../custom-claims/claims.ts';
import { RunLog } from '../custom-claims/run-log.ts';
import { FigureWriter } from '../database/statistics/figure-writer.ts';
import { SharedLimits } from '../http/rate-limits/shared-limits.ts';
import { Providers } from '../oidc/providers.ts';
import { sandboxGauges } from '../script-runners/metrics.ts';
import { scriptFetch } from '../script-runners/script-fetch.ts';
import { providerPages } from '../sign-in/routes/provider-pages.ts';
import { ManagementAccess } from '../tokens/resources/management-access.ts';
import type { Foundation } from './foundation.ts';
import { tracedSandbox } from './tracing.ts';

export type Issuing = Awaited<ReturnType<typeof startIssuing>>;

/** Starts what the token endpoint needs: the sandbox for claims scripts, the audit log, rate limits and the providers. */
export async function startIssuing(foundation: Foundation) {
  const { config, logger, clock, closing, secrets, observers, tracing, database, client } = foundation;
  const cache = foundation.caches.configuration;
  const { fetchAllowedHosts: allowedHosts, timeoutMs: deadlineMs } = config.sandbox;
  const sandbox = await foundation.startSandbox({
    ...config.sandbox,
    logger,
    observer: observers?.sandbox,
    fetch: allowedHosts.length > 0 ? scriptFetch({ client, allowedHosts, deadlineMs }) : undefined,
  });
  closing.add(() => sandbox.close());
  if (observers) sandboxGauges(observers.registry, sandbox);

  const figures = new FigureWriter(database, logger);
  closing.add(() => figures.close());
  const audit = new AuditBatch({ database, onError: (err) => logger.error({ err }, 'Audit entries were not written') });
  closing.add(() => audit.flush());
  const tokenAudit = new TokenAudit(audit);
  closing.add(() => tokenAudit.close());
  const { rateLimits: limits } = config;
  const rateLimits = new SharedLimits({ limits, database, clock, logger, onLimited: observers?.onLimited });
  closing.add(() => rateLimits.close());

  const runs = new RunLog(logger);
  closing.add(() => runs.flush());
  const traced = tracedSandbox(sandbox, tracing);
  const customClaims = new CustomClaims({ sandbox: traced, limits: config.sandbox, cache, secrets, runs, clock });
  const providers = new Providers({
    cache,
    secrets,
    clock,
    logger,
    customClaims,
    audit: tokenAudit,
    rateLimits,
    access: new ManagementAccess(cache),
    pages: providerPages,
    observe: observers?.tokens,
    tracing,
  });
  return { sandbox, audit, rateLimits, providers };
}
