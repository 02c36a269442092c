import type { Place } from '../../route.ts';
import { administratorRoutes } from './administrators.ts';
import { auditLog } from './audit-log.ts';
import { connectorRoutes } from './connectors.ts';
import { keyRoutes } from './keys.ts';
import { signInRoutes } from './sign-in.ts';
import { tenantRoutes } from './tenants.ts';

/** Settings of a tenant, its audit log, and (in tenant `default`) the list of tenants. */
export const settings: Place = {
  path: '/settings',
  name: 'Settings',
  letter: 's',
  sections: [
    { path: '/settings/sign-in', name: 'Sign-in pages' },
    { path: '/settings/connectors', name: 'Connectors' },
    { path: '/settings/keys', name: 'Signing keys' },
    { path: '/settings/administrators', name: 'Administrators' },
    { path: '/settings/audit', name: 'Audit log' },
    { path: '/settings/tenants', name: 'Tenants', isOperators: true },
  ],
  routes: [...signInRoutes, ...connectorRoutes, ...keyRoutes, ...administratorRoutes, ...auditLog, ...tenantRoutes],
};
