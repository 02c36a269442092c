import { hashOf, newOrderedId, newSubjectToken } from '../../../src/base/ids.ts';
import type { Database } from '../../../src/database/database.ts';
import { TenantStore } from '../../../src/database/store/tenant-store.ts';

/** Adds unused subject tokens to a tenant's table, without the time that minting them takes. */
export async function addSubjectTokens(
  database: Database,
  tenantId: string,
  owner: { userId: string; creatorId: string; context?: Record<string, unknown> },
  count: number,
): Promise<string[]> {
  const tokens = Array.from({ length: count }, newSubjectToken);
  const now = Date.now();
  const unbound = { clientId: null, actorId: null, resource: null };
  await new TenantStore(database, tenantId).transaction((store) =>
    store.add(
      'subjectTokens',
      tokens.map((token) => ({
        id: newOrderedId(now),
        tokenHash: hashOf(token),
        context: {},
        ...owner,
        ...unbound,
        createdAt: now,
        expiresAt: now + 600_000,
      })),
    ),
  );
  return tokens;
}
