import { parseArgs } from 'node:util';
import { newId } from '../src/ids.ts';
import { createTenant } from '../src/setup/create-tenant.ts';
import { withDatabase } from './support/running-service.ts';

export const summary = 'make a tenant: --name <name> --endpoint <url> [--id <id>] [--indicator <uri>]';

/** An endpoint is an origin, maybe with a path: no query, fragment or credentials. */
function endpointOf(text: string): string {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlain) throw new Error(`${text} is not an http(s) URL without query and fragment`);
  return url.href.replace(/\/+$/, '');
}

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
  if (!values.name || !values.endpoint) throw new Error('--name and --endpoint are required');
  const endpoint = endpointOf(values.endpoint);
  const id = values.id ?? newId();
  const managementApiIndicator = values.indicator ?? `${endpoint}/api`;
  const machine = await withDatabase((database, secrets) =>
    createTenant(
      database,
      secrets,
      { id, name: values.name as string, endpoints: [endpoint], managementApiIndicator },
      { now: Date.now() },
    ),
  );
  if (!machine) throw new Error(`There is a tenant ${id} already.`);
  console.log(JSON.stringify({ tenantId: id, endpoint, managementApiIndicator, machine }, null, 2));
}
