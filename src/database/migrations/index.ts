import type { Knex } from 'knex';
import * as tenantsUsers from './001_tenants_users.ts';
import * as applicationsRoles from './002_applications_roles.ts';
import * as organizations from './003_organizations.ts';
import * as oidc from './004_oidc.ts';
import * as webhooks from './005_webhooks.ts';
import * as customClaims from './006_custom_claims.ts';
import * as auditLog from './007_audit_log.ts';
import * as signIn from './008_sign_in.ts';
import * as configs from './009_configs.ts';
import * as userSearch from './010_user_search.ts';
import * as figures from './011_figures.ts';
import * as leases from './012_leases.ts';
import * as deliveryClaims from './013_delivery_claims.ts';
import * as console from './014_console.ts';
import * as auditRefusals from './015_audit_refusals.ts';
import * as membershipsByUser from './016_memberships_by_user.ts';
import * as spentInPlace from './017_spent_in_place.ts';
import * as endedTokens from './018_ended_tokens.ts';
import * as oneSpelling from './019_one_spelling.ts';
import * as webhookHeadersAndIndexes from './020_webhook_headers_and_indexes.ts';
import * as resourceAliases from './021_resource_aliases.ts';
import * as webhookClearings from './022_webhook_clearings.ts';
import * as impersonationsByApplication from './023_impersonations_by_application.ts';
import * as indexesForSearches from './024_indexes_for_searches.ts';
import * as find from './025_find.ts';
import * as webhookPauses from './026_webhook_pauses.ts';
import * as brandImages from './027_brand_images.ts';
import * as administratorRoles from './028_administrator_roles.ts';

interface Migration {
  name: string;
  up: (db: Knex) => Promise<void>;
  down: (db: Knex) => Promise<void>;
}

/** All migrations in order. A released migration must not change. */
export const migrations: readonly Migration[] = [
  { name: '001_tenants_users', ...tenantsUsers },
  { name: '002_applications_roles', ...applicationsRoles },
  { name: '003_organizations', ...organizations },
  { name: '004_oidc', ...oidc },
  { name: '005_webhooks', ...webhooks },
  { name: '006_custom_claims', ...customClaims },
  { name: '007_audit_log', ...auditLog },
  { name: '008_sign_in', ...signIn },
  { name: '009_configs', ...configs },
  { name: '010_user_search', ...userSearch },
  { name: '011_figures', ...figures },
  { name: '012_leases', ...leases },
  { name: '013_delivery_claims', ...deliveryClaims },
  { name: '014_console', ...console },
  { name: '015_audit_refusals', ...auditRefusals },
  { name: '016_memberships_by_user', ...membershipsByUser },
  { name: '017_spent_in_place', ...spentInPlace },
  { name: '018_ended_tokens', ...endedTokens },
  { name: '019_one_spelling', ...oneSpelling },
  { name: '020_webhook_headers_and_indexes', ...webhookHeadersAndIndexes },
  { name: '021_resource_aliases', ...resourceAliases },
  { name: '022_webhook_clearings', ...webhookClearings },
  { name: '023_impersonations_by_application', ...impersonationsByApplication },
  { name: '024_indexes_for_searches', ...indexesForSearches },
  { name: '025_find', ...find },
  { name: '026_webhook_pauses', ...webhookPauses },
  { name: '027_brand_images', ...brandImages },
  { name: '028_administrator_roles', ...administratorRoles },
];

/** The list as Knex's migration source. Rejected: reading the folder, where a file can be missed or misordered. */
export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: ({ name }) => name,
  getMigration: async ({ up, down }) => ({ up, down }),
};
