import type { Identified, Owned } from './row.ts';

/** Those who manage tenants in the console: users of the default tenant, which owns these rows. */

export interface AdministratorRow extends Owned {
  userId: string;
  managedTenantId: string;
  createdAt: number;
}

/** Makes whoever follows it first an administrator. */
export interface AdministratorLinkRow extends Identified {
  managedTenantIds: string[];
  spentAt: number | null;
  expiresAt: number;
}

export interface ConsoleSessionRow extends Identified {
  userId: string;
  createdAt: number;
  expiresAt: number;
}
