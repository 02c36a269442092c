import { type Place, type Route, section } from '../route.ts';
import { environmentRoutes } from './claims/environment.ts';
import { KINDS } from './claims/kinds.ts';
import { limitRoutes } from './claims/limits.ts';
import { runRoutes } from './claims/runs.ts';
import { scriptRoutes } from './claims/script.ts';
import { versionRoutes } from './claims/versions.ts';
import { applicationRoutes } from './directory/applications.ts';
import { organizationRoleRoutes, organizationScopeRoutes } from './directory/organization-template.ts';
import { organizationRoutes } from './directory/organizations.ts';
import { resourceRoutes } from './directory/resources.ts';
import { roleRoutes } from './directory/roles.ts';
import { userRoutes } from './directory/users.ts';
import { startPages } from './impersonations/act-as.ts';
import { impersonationPages } from './impersonations/details.ts';
import { endSelected } from './impersonations/end-selected.ts';
import { impersonationList } from './impersonations/list.ts';
import { policyPages } from './impersonations/policy.ts';
import { subjectTokenPages } from './impersonations/subject-tokens.ts';
import { overview } from './overview/overview.ts';
import { administratorRoutes } from './settings/administrators.ts';
import { auditLog } from './settings/audit-log.ts';
import { brandRoutes } from './settings/brand.ts';
import { brandTextRoutes } from './settings/brand-texts.ts';
import { connectorRoutes } from './settings/connectors.ts';
import { keyRoutes } from './settings/keys.ts';
import { signInRoutes } from './settings/sign-in.ts';
import { tenantRoutes } from './settings/tenants.ts';
import { deliveryPages } from './webhooks/delivery.ts';
import { allDeliveries, deliveryList } from './webhooks/delivery-list.ts';
import { hookForms } from './webhooks/hook-form.ts';
import { hookList, hookPages } from './webhooks/hook-pages.ts';
import { verifyPage } from './webhooks/receivers.ts';
import { replayPages } from './webhooks/replays.ts';
import { testPages } from './webhooks/test-send.ts';

/** The places, in the order of the rail, with their sections. `../route.ts` explains the parts. */
export const places: readonly Place[] = [
  { path: '/overview', name: 'Overview', letter: 'o', sections: [section('Overview', overview)] },
  {
    path: '/impersonations',
    name: 'Impersonations',
    letter: 'i',
    sections: [
      section('Impersonations', [impersonationList]),
      section('Subject tokens', subjectTokenPages),
      section('Policy', policyPages),
    ],
    routes: [...startPages, endSelected, ...impersonationPages],
  },
  {
    path: '/claims',
    name: 'Custom claims',
    letter: 'c',
    sections: [
      ...KINDS.map((kind) =>
        section(
          kind.name,
          [scriptRoutes, versionRoutes, runRoutes, environmentRoutes].flatMap((routes) => routes(kind)),
        ),
      ),
      section('Limits', limitRoutes),
    ],
  },
  {
    path: '/webhooks',
    name: 'Webhooks',
    letter: 'w',
    sections: [
      section('Webhooks', [hookList]),
      section('Deliveries', [allDeliveries]),
      section('Verify signatures', [verifyPage]),
    ],
    routes: [...hookForms, ...hookPages, deliveryList, ...deliveryPages, ...replayPages, ...testPages],
  },
  {
    path: '/directory',
    name: 'Directory',
    letter: 'd',
    sections: [
      section('Users', userRoutes),
      section('Roles', roleRoutes),
      section('Resources', resourceRoutes),
      section('Organizations', organizationRoutes),
      section('Organization roles', organizationRoleRoutes),
      section('Organization scopes', organizationScopeRoutes),
      section('Applications', applicationRoutes),
    ],
  },
  {
    path: '/settings',
    name: 'Settings',
    letter: 's',
    sections: [
      section('Sign-in pages', signInRoutes),
      section('Brand', [...brandRoutes, ...brandTextRoutes]),
      section('Connectors', connectorRoutes),
      section('Signing keys', keyRoutes),
      section('Administrators', administratorRoutes),
      section('Audit log', auditLog),
      section('Tenants', tenantRoutes, { isOperators: true }),
    ],
  },
];

/** The routes of all places. Those of sections come first, so that `/webhooks/verify` is not matched as an id. */
export const routes: readonly Route[] = places.flatMap(({ sections, routes = [] }) => [
  ...sections.flatMap((section) => section.routes),
  ...routes,
]);

const isPath = (pattern: string, path: string): boolean => {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  return names.length === parts.length && names.every((name, index) => name.startsWith(':') || name === parts[index]);
};

/** Returns the path of the page with this form, below `/console`: its own, or for an action that of the page above it. */
export function pageOf(path: string): string {
  const parts = path.split('/');
  const isPage = () => routes.find((route) => isPath(`/:tenant${route.path}`, parts.join('/')))?.isPage === true;
  while (parts.length > 1 && !isPage()) parts.pop();
  return parts.join('/');
}
