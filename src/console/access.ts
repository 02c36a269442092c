import { adminOperations } from '../admin/tenants.ts';
import { type AdministratorRole, isAdministratorRole } from '../base/administrator-role.ts';
import { leastRoleOf } from '../http/operations/authorize.ts';
import type { Operation } from '../http/operations/operation.ts';
import { operations } from '../management/index.ts';
import { routes } from './places/index.ts';
import type { Route } from './route.ts';

const byRoute = new Map<string, Operation>([...operations, ...adminOperations].map((one) => [one.route, one]));

/** Returns the least role that may open and submit a route in this tenant: that of the operation it performs. */
export function roleForRoute({ needs }: Route, tenantId: string): AdministratorRole {
  if (isAdministratorRole(needs)) return needs;
  return leastRoleOf(byRoute.get(needs) as Operation, tenantId);
}

const segments = routes.map((route) => ({ route, parts: route.path.split('/') }));

/** Returns the route that a path below the tenant's opens, or submits a form to. */
function routeAt(path: string, how: 'open' | 'submit'): Route | undefined {
  const [pathname = ''] = path.split('?');
  const given = pathname.split('/');
  return segments.find(
    ({ route, parts }) =>
      (how === 'open' ? route.isPage : route.submit !== undefined) &&
      parts.length === given.length &&
      parts.every((part, at) => part.startsWith(':') || part === given[at]),
  )?.route;
}

/** Returns the least role that may open a path, or submit a form to it; every role may if no route has it. */
export function roleForPath(path: string, how: 'open' | 'submit', tenantId: string): AdministratorRole {
  const route = routeAt(path, how);
  return route ? roleForRoute(route, tenantId) : 'viewer';
}
