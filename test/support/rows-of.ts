import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import type { TestService } from './start-service.ts';

/**
 * Reads or writes rows of the default tenant directly in the database, for data that only an older release would leave.
 */
export async function withRows<T>(
  { databaseUrl, dataDir }: Pick<TestService, 'databaseUrl' | 'dataDir'>,
  work: (store: TenantStore) => Promise<T>,
): Promise<T> {
  const database = connect({ databaseUrl, dataDir, poolSize: 2 });
  try {
    return await work(new TenantStore(database, 'default'));
  } finally {
    await database.close();
  }
}
