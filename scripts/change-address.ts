import { parseArgs } from 'node:util';
import { normalizedEndpoints } from '../src/admin/endpoints.ts';
import {
  changeTenant,
  findTenant,
  lockTenantList,
  type TenantEntry,
  type TenantPatch,
} from '../src/admin/tenant-list.ts';
import { recordAudit } from '../src/audit/record.ts';
import { readConfig } from '../src/config/index.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { updateCredentials } from '../src/setup/address.ts';
import { DEFAULT_TENANT } from '../src/tenants.ts';
import { withDatabase } from './support/running-service.ts';

export const summary =
  'Move a tenant to another endpoint: its issuer, its links and its API indicators. The service may be running.';
export const usage = `[--tenant <id>] [--to <url>] [--indicator <uri>] [--keep-indicators] [--drop-old]

  --tenant <id>       the tenant (default: ${DEFAULT_TENANT})
  --to <url>          the new endpoint
  --indicator <uri>   the new Management API indicator (default: <new endpoint>/api)
  --keep-indicators   change the endpoint only
  --drop-old          stop accepting the old endpoint and the old indicators`;

interface Change {
  to: string | undefined;
  indicator: string | undefined;
  keepsIndicators: boolean;
  dropsOld: boolean;
}

/**
 * Returns the indicator below the new endpoint if it was derived from the old one. A custom indicator does not change.
 */
const moved = (indicator: string, from: string, to: string): string | undefined =>
  indicator.startsWith(`${from}/`) ? to + indicator.slice(from.length) : undefined;

function patchOf(tenant: TenantEntry, { to, indicator, keepsIndicators, dropsOld }: Change): TenantPatch {
  const [from = ''] = tenant.endpoints;
  const follows = to !== undefined && !keepsIndicators;
  const management = indicator ?? (follows ? moved(tenant.managementApiIndicator, from, to) : undefined);
  const operator = follows && tenant.operatorApiIndicator ? `${to}/admin/api` : undefined;
  const besides = dropsOld ? [] : tenant.endpoints.filter((url) => url !== to);
  return {
    ...(to !== undefined && { endpoints: [to, ...besides] }),
    ...(management && { managementApiIndicator: management, ...(dropsOld && { managementApiIndicatorAliases: [] }) }),
    ...(operator && { operatorApiIndicator: operator, ...(dropsOld && { operatorApiIndicatorAliases: [] }) }),
  };
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tenant: { type: 'string', default: DEFAULT_TENANT },
      to: { type: 'string' },
      indicator: { type: 'string' },
      'keep-indicators': { type: 'boolean', default: false },
      'drop-old': { type: 'boolean', default: false },
    },
  });
  const { tenant: id, to, indicator, 'keep-indicators': keepsIndicators, 'drop-old': dropsOld } = values;
  if (to === undefined && indicator === undefined) throw new Error('--to or --indicator is required');
  const [endpoint] = to === undefined ? [] : normalizedEndpoints([to]);
  const change = { to: endpoint, indicator, keepsIndicators, dropsOld };

  const tenant = await withDatabase((database) =>
    new TenantStore(database, DEFAULT_TENANT).transaction(async (store) => {
      await lockTenantList(store);
      const before = await findTenant(store, id);
      if (!before) throw new Error(`There is no tenant ${id}.`);
      const after = await changeTenant(store, id, patchOf(before, change));
      const { endpoints, managementApiIndicator } = after;
      const payload = { tenantId: id, endpoints, managementApiIndicator, by: 'command' };
      await recordAudit(store, { key: 'Tenant.Address.Change', result: 'Success', payload, createdAt: Date.now() });
      return after;
    }),
  );
  const [now = ''] = tenant.endpoints;
  const { managementApiIndicator } = tenant;
  const { dataDir } = readConfig();
  const isFollowed =
    id === DEFAULT_TENANT && (await updateCredentials(dataDir, { endpoint: now, managementApiIndicator }));
  console.log(describe(tenant, isFollowed));
}

function describe(tenant: TenantEntry, isFollowed: boolean): string {
  const { id, endpoints, managementApiIndicator, managementApiIndicatorAliases: aliases } = tenant;
  const [endpoint = '', ...others] = endpoints;
  const besides = (list: readonly string[]) => (list.length > 0 ? ` (also accepted: ${list.join(', ')})` : '');
  return [
    `Tenant ${id} is now at ${endpoint}${besides(others)}.`,
    `  issuer                    ${endpoint}/oidc`,
    `  Management API indicator  ${managementApiIndicator}${besides(aliases)}`,
    ...(tenant.operatorApiIndicator
      ? [
          `  Operator API indicator    ${tenant.operatorApiIndicator}${besides(tenant.operatorApiIndicatorAliases ?? [])}`,
        ]
      : []),
    'A running service applies this within 5 s. Tokens with the old issuer are no longer accepted: clients need new ones.',
    ...(isFollowed ? ['credentials.json contains the new address.'] : []),
    ...(id === DEFAULT_TENANT ? [`Set ENDPOINT=${endpoint} before the next start.`] : []),
  ].join('\n');
}
