import type { Request } from 'express';
import {
  administratorsOf,
  findUser,
  giveRole,
  type RightsChange,
  removeAdministrator,
} from '../admin/administrators.ts';
import {
  ADMINISTRATOR_ROLES,
  type AdministratorRole,
  includesRole,
  isAdministratorRole,
  requireRole,
} from '../base/administrator-role.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import type { Perform } from '../http/operations/perform.ts';
import { DEFAULT_TENANT, type Tenant } from '../tenants.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import { roleForPath } from './access.ts';
import type { ApiRoute, OperationResult, Result } from './api.ts';
import { SHOWN_HEADER, shownIn } from './parts/live.ts';
import {
  type AdministratorRights,
  type ConsoleRequest,
  type Flash,
  fillPath,
  type Params,
  type ServiceSettings,
} from './route.ts';
import { formOf, formTokenOf } from './session/form-token.ts';
import type { Administrator } from './session/session.ts';

/** API operations by route: those of every tenant, and those that only tenant `default` serves. */
export interface Rows {
  management: ReadonlyMap<string, Perform>;
  operator: ReadonlyMap<string, Perform>;
}

interface RequestParts {
  request: Request;
  tenant: Tenant;
  administrator: Administrator;
  role: AdministratorRole;
  rows: Rows;
  clock: Clock;
  settings: ServiceSettings;
  flash?: Flash | undefined;
}

/** @throws 400 `guard.invalid_input` for the field `user` */
function refuseUser(why: string): never {
  throw new ServiceError('guard.invalid_input', { details: `body.user: ${why}` });
}

/** @throws 400 `guard.invalid_input` for the field `role` */
function roleOf(text: string): AdministratorRole {
  if (isAdministratorRole(text)) return text;
  throw new ServiceError('guard.invalid_input', {
    details: `body.role: must be one of ${ADMINISTRATOR_ROLES.join(', ')}`,
  });
}

/** Administrator rights of the tenant, changed in the name of this administrator, who must be an owner. */
function rightsOf({ request, tenant, administrator, role, clock }: RequestParts): AdministratorRights {
  const { tenant: home, ip, userAgent, requestId } = contextOf(request);
  const { store } = home;
  const origin = { applicationId: CONSOLE_CLIENT_ID, actorId: administrator.id, ip, userAgent, requestId };
  const change = (): RightsChange => {
    requireRole(role, 'owner');
    return { by: 'console', now: clock(), origin };
  };
  const give = (userId: string, role: AdministratorRole, tenantId = tenant.id) =>
    giveRole(store, userId, { tenantIds: [tenantId], role }, change());
  return {
    list: () => administratorsOf(store, tenant.id),
    addSelf: (tenantId) => give(administrator.id, 'owner', tenantId),
    async add(name, role) {
      const user = await findUser(store, name);
      if (!user) return refuseUser('No user of the default tenant has this username, email address, or ID');
      const managers = await administratorsOf(store, tenant.id);
      if (managers.some((manager) => manager.user.id === user.id)) refuseUser('This user already manages the tenant');
      await give(user.id, roleOf(role));
    },
    async change(userId, role) {
      await store.get('administrators', { userId, managedTenantId: tenant.id });
      await give(userId, roleOf(role));
    },
    remove: async (userId) => removeAdministrator(store, userId, tenant.id, change()),
  };
}

/** Returns the request as pages see it. It contains no store, so pages can reach data only through API operations. */
export function consoleRequestOf<P = never>(parts: RequestParts): ConsoleRequest<P> {
  const { request, tenant, administrator, role, rows, clock, settings, flash } = parts;
  const { tenant: home, ip, userAgent, requestId } = contextOf(request);
  const below = `${home.path}/console/${tenant.id}`;
  const { tenant: _, ...pageParams } = request.params as Params;
  const { pathname, searchParams } = new URL(request.originalUrl, home.endpoint);

  async function perform<R extends ApiRoute>(
    route: R,
    {
      params = pageParams,
      query = {},
      body,
    }: { params?: unknown; query?: Record<string, unknown>; body?: unknown } = {},
  ): Promise<OperationResult<R>> {
    const row = rows.management.get(route) ?? (tenant.id === DEFAULT_TENANT ? rows.operator.get(route) : undefined);
    if (!row) throw new ServiceError('request.not_found');
    const path = route.slice(route.indexOf(' ') + 1);
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const callParams = Object.fromEntries(names.map((name) => [name, (params as Params)[name] ?? '']));
    const { value, total } = await row({
      tenant,
      caller: { applicationId: CONSOLE_CLIENT_ID, scopes: new Set(), userId: administrator.id, role },
      params: callParams,
      query,
      body,
      path: fillPath(path, callParams),
      ip,
      userAgent,
      requestId,
    });
    return { value: value as Result<R>, total };
  }

  return {
    administrator,
    tenant,
    role,
    missingRole(path, how = 'open') {
      const needed = roleForPath(path, how, tenant.id);
      return includesRole(role, needed) ? undefined : needed;
    },
    params: pageParams as P,
    query: searchParams,
    submitted: formOf(request),
    now: clock(),
    shown: shownIn(request.get(SHOWN_HEADER)),
    csrf: formTokenOf(administrator),
    path: pathname.slice(below.length),
    to: (path) => below + path,
    perform,
    settings,
    rights: rightsOf(parts),
    flash,
  };
}
