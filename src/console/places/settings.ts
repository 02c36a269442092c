import type { Place } from '../route.ts';
import { auditLog } from './settings/audit-log.ts';

/** How a tenant is set up, and what was done in it. */
export const settings: Place = {
  path: '/settings',
  name: 'Settings',
  letter: 's',
  sections: [{ path: '/settings/audit', name: 'Audit log' }],
  routes: auditLog,
};
