import { readConfig } from '../src/config/index.ts';
import { lockDataDir } from '../src/database/drivers/process-lock.ts';
import { migrate } from '../src/database/migrate.ts';
import { reached } from './support/running-service.ts';

export const summary = 'Bring the database to this release without starting the service.';

export async function run(): Promise<void> {
  const { databaseUrl, databaseDirectUrl, dataDir } = readConfig();
  const unlock = databaseUrl ? undefined : await lockDataDir(dataDir);
  try {
    const settings = { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 };
    const applied = await reached(() => migrate(settings));
    console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'Nothing to do.');
  } finally {
    await unlock?.();
  }
}
