import { newShortId } from '../../../src/base/ids.ts';
import type { Database } from '../../../src/database/database.ts';
import { TenantStore } from '../../../src/database/store/tenant-store.ts';

/** Adds users to the default tenant, the oldest first. @returns their ids */
export async function addUsers(database: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newShortId);
  const startedAt = Date.now() - count;
  await new TenantStore(database, 'default').transaction((store) =>
    store.add(
      'users',
      ids.map((id, index) => ({
        id,
        username: `user_${id}`,
        primaryEmail: `${id}@example.com`,
        name: `User ${index}`,
        customData: { plan: 'gold' },
        profile: { locale: 'en' },
        isSuspended: false,
        createdAt: startedAt + index,
        updatedAt: startedAt + index,
      })),
    ),
  );
  // SQLite has no statistics: nothing of the service collects them, and its plans do not need them.
  if (database.kind === 'postgres') await database.write((db) => db.raw('analyze'));
  return ids;
}
