import { readConfig } from '../src/config/index.ts';
import { lockDataDir } from '../src/database/drivers/process-lock.ts';
import { migrate } from '../src/database/migrate.ts';
import { withReadableErrors } from './support/running-service.ts';

export const summary = 'Apply all pending migrations without starting the service.';

export async function run(): Promise<void> {
  const { databaseUrl, databaseDirectUrl, dataDir } = readConfig();
  const unlock = databaseUrl ? undefined : await lockDataDir(dataDir);
  try {
    const settings = { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 };
    const applied = await withReadableErrors(() => migrate(settings));
    console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.');
  } finally {
    await unlock?.();
  }
}
