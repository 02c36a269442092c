import type { Clock } from '../base/clock.ts';
import type { Commits } from '../database/notices/commits.ts';
import { TenantCache } from '../database/notices/tenant-cache.ts';
import { configurationTables } from '../database/tables/index.ts';

/**
 * How long a process may miss a change by another process if the notice is lost. Shorter for the revocation of a token.
 */
const CONFIGURATION_MS = 5_000;
const REVOCATIONS_MS = 1_000;

/** Returns the caches of tenants' configuration and of revoked tokens. */
export function serviceCaches(commits: Commits, clock: Clock) {
  return {
    cache: new TenantCache({ commits, clock, tables: configurationTables, maxAgeMs: CONFIGURATION_MS }),
    revocations: new TenantCache({ commits, clock, tables: ['revokedTokens'], maxAgeMs: REVOCATIONS_MS }),
    // No write clears it: revoking many tokens must not rebuild the list each time.
    revokedLists: new TenantCache({ commits, clock, tables: [], maxAgeMs: REVOCATIONS_MS }),
  };
}
