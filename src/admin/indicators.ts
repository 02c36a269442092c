import type { Knex } from 'knex';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ResourceRow, Row } from '../database/tables/index.ts';
import { ServiceError } from '../errors.ts';
import { invalidBody, requireIndicator } from '../management/shared/fields.ts';
import { ADMIN_API, MANAGEMENT_API, type SystemApi } from '../tokens/urns.ts';

/** The resource indicators of a tenant's own APIs. Only the default tenant has the Operator API. */
export interface Indicators {
  managementApiIndicator: string;
  /** Other accepted indicators, so that clients which still send an earlier one keep working. */
  managementApiIndicatorAliases: string[];
  operatorApiIndicator?: string;
  operatorApiIndicatorAliases?: string[];
}

interface Audiences {
  indicator: string | undefined;
  aliases: string[] | undefined;
}

/** Returns the indicators of each tenant. @param db over all tenants */
export async function indicatorsByTenant(db: Knex, tenantIds: readonly string[]): Promise<Map<string, Indicators>> {
  const resources: ResourceRow[] = await db('resources')
    .whereIn('tenantId', tenantIds)
    .whereIn('id', [MANAGEMENT_API.resourceId, ADMIN_API.resourceId]);
  const aliases: Row<'resourceAliases'>[] = await db('resourceAliases')
    .whereIn('tenantId', tenantIds)
    .orderBy('indicator');
  const found = (tenantId: string, { resourceId }: SystemApi) => {
    const resource = resources.find((row) => row.tenantId === tenantId && row.id === resourceId);
    const own = aliases.filter((row) => row.tenantId === tenantId && row.resourceId === resourceId);
    return resource && { indicator: resource.indicator, aliases: own.map(({ indicator }) => indicator) };
  };
  return new Map(
    tenantIds.map((tenantId) => {
      const [management, operator] = [found(tenantId, MANAGEMENT_API), found(tenantId, ADMIN_API)];
      const indicators = {
        managementApiIndicator: management?.indicator ?? '',
        managementApiIndicatorAliases: management?.aliases ?? [],
        ...(operator && { operatorApiIndicator: operator.indicator, operatorApiIndicatorAliases: operator.aliases }),
      };
      return [tenantId, indicators];
    }),
  );
}

/**
 * Changes the indicators in the patch and keeps the others.
 *
 * @param store the tenant's, in a transaction
 * @throws 400 `guard.invalid_input`, 422 `resource.resource_identifier_in_use`
 */
export async function changeIndicators(store: TenantStore, patch: Partial<Indicators>): Promise<void> {
  const apis = [
    ['managementApiIndicator', MANAGEMENT_API],
    ['operatorApiIndicator', ADMIN_API],
  ] as const;
  for (const [field, api] of apis) {
    const indicator = patch[field];
    const aliases = patch[`${field}Aliases` as const];
    if (indicator === undefined && aliases === undefined) continue;
    if (indicator !== undefined) requireIndicator(field, indicator);
    aliases?.forEach((alias, index) => {
      requireIndicator(`${field}Aliases[${index}]`, alias);
    });
    await changeAudiences(store, field, api, { indicator, aliases });
  }
}

/** A replaced indicator becomes an alias, unless the patch sets the aliases too. */
async function changeAudiences(
  store: TenantStore,
  field: string,
  api: SystemApi,
  { indicator, aliases }: Audiences,
): Promise<void> {
  const { resourceId } = api;
  const before = await store.find('resources', { id: resourceId });
  if (!before) throw invalidBody(`body.${field}: only the default tenant has this API`);
  const known = await store.from('resourceAliases').where({ resourceId }).select('indicator');
  const after = indicator ?? before.indicator;
  const accepted = new Set(aliases ?? [...known.map(({ indicator }) => indicator), before.indicator]);
  accepted.delete(after);

  await store.removeAll('resourceAliases', { resourceId });
  if (after !== before.indicator) await store.update('resources', { id: resourceId }, { indicator: after });
  await store.add(
    'resourceAliases',
    [...accepted].map((indicator) => ({ indicator, resourceId })),
  );
  const isOthers = await store.find('resourceAliases', { indicator: after });
  const others = await store
    .from('resources')
    .whereIn('indicator', [...accepted])
    .first('id');
  if (isOthers || others) throw new ServiceError('resource.resource_identifier_in_use');
}
