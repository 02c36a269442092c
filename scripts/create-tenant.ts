import { parseArgs } from 'node:util';
import { createTenant } from '../src/admin/create-tenant.ts';
import { endpointsInUse, normalizedEndpoints, TENANT_ID } from '../src/admin/endpoints.ts';
import { newId } from '../src/base/ids.ts';
import { requireIndicator } from '../src/management/shared/fields.ts';
import { withDatabase } from './support/running-service.ts';

export const summary = 'Create a tenant, and print the credentials of its first machine-to-machine application.';
export const usage = `--name <name> --endpoint <url> [--id <id>] [--indicator <uri>]

  --name <name>       the display name
  --endpoint <url>    the public base URL: a host, or a host and a path
  --id <id>           lower case letters, digits and hyphens (default: random)
  --indicator <uri>   the Management API indicator (default: <endpoint>/api)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      id: { type: 'string' },
      name: { type: 'string' },
      endpoint: { type: 'string' },
      indicator: { type: 'string' },
    },
  });
  const { name, id = newId() } = values;
  if (!name || !values.endpoint) throw new Error('--name and --endpoint are required');
  if (!TENANT_ID.test(id)) throw new Error(`${id} is not a valid tenant id: it must match ${TENANT_ID.source}.`);
  const endpoints = normalizedEndpoints([values.endpoint]);
  const [endpoint = ''] = endpoints;
  const managementApiIndicator = values.indicator ?? `${endpoint}/api`;
  requireIndicator('managementApiIndicator', managementApiIndicator);
  const machine = await withDatabase(async (database, secrets) => {
    const taken = await endpointsInUse(database.reader, id, endpoints);
    if (taken.length > 0) throw new Error(`Another tenant is served at ${taken.join(', ')}.`);
    const tenant = { id, name, endpoints, managementApiIndicator };
    return createTenant(database, secrets, tenant, { now: Date.now() });
  });
  if (!machine) throw new Error(`Tenant ${id} already exists.`);
  console.log(JSON.stringify({ tenantId: id, endpoint, managementApiIndicator, machine }, null, 2));
}
