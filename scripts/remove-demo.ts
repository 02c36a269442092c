import { readConfig } from '../src/config/index.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { removeDemonstration } from '../src/setup/demonstration.ts';
import { writeCredentials } from '../src/setup/first-start.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { readCredentials, withDatabase } from './support/running-service.ts';

export const summary = "Remove the demonstration's users, application, resource and script.";

export async function run(): Promise<void> {
  const { demo, ...rest } = await readCredentials();
  if (!demo) {
    console.log('There is no demonstration.');
    return;
  }
  await withDatabase((database) => removeDemonstration(new TenantStore(database, DEFAULT_TENANT), demo));
  await writeCredentials(readConfig().dataDir, rest);
  console.log('Removed the demonstration. A running service applies this within 5 s.');
}
