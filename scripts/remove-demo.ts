import { readConfig } from '../src/config/index.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { removeDemonstration } from '../src/setup/demonstration.ts';
import { writeCredentials } from '../src/setup/first-start.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { readCredentials, withDatabase } from './support/running-service.ts';

export const summary = "Take the demonstration's users, application, resource and script away.";

export async function run(): Promise<void> {
  const { demo, ...rest } = await readCredentials();
  if (!demo) {
    console.log('There is no demonstration here.');
    return;
  }
  await withDatabase((database) => removeDemonstration(new TenantStore(database, DEFAULT_TENANT), demo));
  await writeCredentials(readConfig().dataDir, rest);
  console.log('The demonstration is gone. A running service notices within 5 s.');
}
