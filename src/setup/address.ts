import type { Config } from '../config/index.ts';
import type { Database } from '../database/database.ts';
import { DEFAULT_TENANT } from '../tenants.ts';
import { MANAGEMENT_RESOURCE_ID } from '../tokens/urns.ts';
import { credentialsPath, writeCredentials } from './first-start.ts';
import { readIfExists } from './secret-key.ts';

/** The address of the default tenant. After the first start the database decides, not the environment. */
export type Address = Pick<Config, 'endpoint' | 'managementApiIndicator'>;

export async function addressInForce(database: Database): Promise<Address> {
  const tenantId = DEFAULT_TENANT;
  const { url } = await database.reader('tenantEndpoints').where({ tenantId, position: 0 }).first('url');
  const { indicator } = await database.reader('resources').where({ tenantId, id: MANAGEMENT_RESOURCE_ID }).first();
  return { endpoint: url, managementApiIndicator: indicator };
}

/** Returns a warning if the environment names another address than the one in force, otherwise undefined. */
export function addressWarning({ endpoint, managementApiIndicator }: Address, inForce: Address): string | undefined {
  if (endpoint !== inForce.endpoint)
    return `ENDPOINT is ${endpoint}, but the database says that the tenant ${DEFAULT_TENANT} is at ${inForce.endpoint}. Issuer and links use the address in the database. Set ENDPOINT to it, or move the tenant: npm run cli -- change-address --to ${endpoint}`;
  const isChosen = managementApiIndicator !== `${endpoint}/api`;
  if (isChosen && managementApiIndicator !== inForce.managementApiIndicator)
    return `MANAGEMENT_API_INDICATOR is ${managementApiIndicator}, but the tenant ${DEFAULT_TENANT} uses ${inForce.managementApiIndicator} from the database. Set it to that, or change the tenant: npm run cli -- change-address --indicator ${managementApiIndicator}`;
  return undefined;
}

/**
 * Updates the address in `credentials.json`. Does nothing if the file no longer exists.
 *
 * @returns true if the file was changed
 */
export async function updateCredentials(
  dataDir: string,
  { endpoint, managementApiIndicator }: Address,
): Promise<boolean> {
  const text = await readIfExists(credentialsPath(dataDir));
  if (text === undefined) return false;
  const known = JSON.parse(text);
  if (known.endpoint === endpoint && known.managementApiIndicator === managementApiIndicator) return false;
  await writeCredentials(dataDir, { ...known, endpoint, managementApiIndicator });
  return true;
}
