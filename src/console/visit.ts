import type { Request } from 'express';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../errors.ts';
import { contextOf } from '../http/context.ts';
import type { Perform } from '../http/operations/perform.ts';
import { DEFAULT_TENANT, type Tenant } from '../tenants.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import type { Answer, Args, Flash, Rights, Visit } from './route.ts';
import { findPerson, type Means, manage, managersOf, unmanage } from './session/administrators.ts';
import { type Administrator, csrfTokenOf } from './session/session.ts';

/** Rows by their route: those of every tenant, and those that only tenant `default` serves. */
export interface Rows {
  management: ReadonlyMap<string, Perform>;
  operator: ReadonlyMap<string, Perform>;
}

interface VisitParts {
  request: Request;
  tenant: Tenant;
  administrator: Administrator;
  rows: Rows;
  clock: Clock;
  flash: Flash | undefined;
}

/** `/users/:userId` with its ids in place, as its events tell it. */
const filledIn = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** @throws 400 `guard.invalid_input`, about the field `user` */
function refuseUser(why: string): never {
  throw new ServiceError('guard.invalid_input', { details: `body.user: ${why}` });
}

/** Of a tenant, in the hands of this administrator. */
function rightsOf({ request, tenant, administrator, clock }: VisitParts): Rights {
  const { tenant: home, ip, userAgent, requestId } = contextOf(request);
  const { store } = home;
  const who = { applicationId: CONSOLE_CLIENT_ID, actorId: administrator.id, ip, userAgent, requestId };
  const means = (): Means => ({ by: 'console', now: clock(), who });
  return {
    list: () => managersOf(store, tenant.id),
    takeOn: (tenantId) => manage(store, administrator.id, [tenantId], means()),
    async give(name) {
      const user = await findPerson(store, name);
      if (!user) return refuseUser('Nobody has this username, e-mail address or id here');
      const managers = await managersOf(store, tenant.id);
      if (managers.some((manager) => manager.user.id === user.id)) refuseUser('This person manages the tenant already');
      await manage(store, user.id, [tenant.id], means());
    },
    take: (userId) => unmanage(store, userId, tenant.id, means()),
  };
}

/** What a page is given of a request: a store is not part of it, so nothing goes past the rows. */
export function visitOf(parts: VisitParts): Visit {
  const { request, tenant, administrator, rows, clock, flash } = parts;
  const { tenant: home, ip, userAgent, requestId } = contextOf(request);
  const below = `${home.path}/console/${tenant.id}`;
  const { tenant: _, ...params } = request.params as Record<string, string>;
  const { pathname, searchParams } = new URL(request.originalUrl, home.endpoint);

  async function perform<T>(route: string, { params = {}, query = {}, body }: Args = {}): Promise<Answer<T>> {
    const row = rows.management.get(route) ?? (tenant.id === DEFAULT_TENANT ? rows.operator.get(route) : undefined);
    if (!row) throw new ServiceError('request.not_found');
    const { value, total } = await row({
      tenant,
      caller: { applicationId: CONSOLE_CLIENT_ID, scopes: new Set(), userId: administrator.id },
      params,
      query,
      body,
      path: filledIn(route.slice(route.indexOf(' ') + 1), params),
      ip,
      userAgent,
      requestId,
    });
    return { value: value as T, total: total ?? 0 };
  }

  return {
    administrator,
    tenant,
    params,
    query: searchParams,
    sent: new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
    now: clock(),
    csrf: csrfTokenOf(administrator),
    path: pathname.slice(below.length),
    to: (path) => below + path,
    perform,
    rights: rightsOf(parts),
    flash,
  };
}
