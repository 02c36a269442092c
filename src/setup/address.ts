import { readFile } from 'node:fs/promises';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/database.ts';
import { DEFAULT_TENANT } from '../tenants.ts';
import { MANAGEMENT_RESOURCE_ID } from '../tokens/urns.ts';
import { credentialsPath, writeCredentials } from './first-start.ts';

/** Where the default tenant is, by the database, which counts once there was a first start. */
export interface Address {
  endpoint: string;
  managementApiIndicator: string;
}

export async function addressInForce(database: Database): Promise<Address> {
  const tenantId = DEFAULT_TENANT;
  const { url } = await database.reader('tenantEndpoints').where({ tenantId, position: 0 }).first('url');
  const { indicator } = await database.reader('resources').where({ tenantId, id: MANAGEMENT_RESOURCE_ID }).first();
  return { endpoint: url, managementApiIndicator: indicator };
}

/** One line for the operator whose environment names another address than the one in force; undefined when it is the same. */
export function addressWarning(
  { endpoint, managementApiIndicator }: Pick<Config, 'endpoint' | 'managementApiIndicator'>,
  inForce: Address,
): string | undefined {
  if (endpoint !== inForce.endpoint)
    return `ENDPOINT is ${endpoint}, but the tenant ${DEFAULT_TENANT} is at ${inForce.endpoint}, which holds: issuer and links are made from it. Set ENDPOINT to that, or move the tenant: npm run cli -- change-address --to ${endpoint}`;
  const isChosen = managementApiIndicator !== `${endpoint}/api`;
  if (isChosen && managementApiIndicator !== inForce.managementApiIndicator)
    return `MANAGEMENT_API_INDICATOR is ${managementApiIndicator}, but the tenant ${DEFAULT_TENANT} has ${inForce.managementApiIndicator}, which holds. Set it to that, or change the tenant's: npm run cli -- change-address --indicator ${managementApiIndicator}`;
  return undefined;
}

/** `credentials.json` says where the tenant is now. Does nothing when the file was put away. @returns true when it was changed */
export async function updateCredentials(
  dataDir: string,
  { endpoint, managementApiIndicator }: Address,
): Promise<boolean> {
  const text = await readFile(credentialsPath(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return false;
  const known = JSON.parse(text);
  if (known.endpoint === endpoint && known.managementApiIndicator === managementApiIndicator) return false;
  await writeCredentials(dataDir, { ...known, endpoint, managementApiIndicator });
  return true;
}
