import { readConfig } from '../src/config.ts';
import { migrate } from '../src/database/migrate.ts';
import { lockDataDir } from '../src/database/process-lock.ts';

export const summary = 'bring the database to this release without starting the service';

export async function run(): Promise<void> {
  const { databaseUrl, databaseDirectUrl, dataDir } = readConfig();
  const unlock = databaseUrl ? undefined : await lockDataDir(dataDir);
  const applied = await migrate({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 });
  await unlock?.();
  console.log(applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'Nothing to do.');
}
