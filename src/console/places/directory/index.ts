import type { Place } from '../../route.ts';
import { applicationRoutes } from './applications.ts';
import { organizationTemplateRoutes } from './organization-template.ts';
import { organizationRoutes } from './organizations.ts';
import { resourceRoutes } from './resources.ts';
import { roleRoutes } from './roles.ts';
import { userRoutes } from './users.ts';

/** The users, roles, resources, organizations, and applications of a tenant. */
export const directory: Place = {
  path: '/directory',
  name: 'Directory',
  letter: 'd',
  sections: [
    { path: '/directory/users', name: 'Users' },
    { path: '/directory/roles', name: 'Roles' },
    { path: '/directory/resources', name: 'Resources' },
    { path: '/directory/organizations', name: 'Organizations' },
    { path: '/directory/organization-roles', name: 'Organization roles' },
    { path: '/directory/organization-scopes', name: 'Organization scopes' },
    { path: '/directory/applications', name: 'Applications' },
  ],
  routes: [
    ...userRoutes,
    ...roleRoutes,
    ...resourceRoutes,
    ...organizationRoutes,
    ...organizationTemplateRoutes,
    ...applicationRoutes,
  ],
};
