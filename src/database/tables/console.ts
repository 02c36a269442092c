import type { Identified, Owned } from './row.ts';

/** Rows of administrators: users of the default tenant, which owns the rows, who manage tenants in the console. */

export interface AdministratorRow extends Owned {
  userId: string;
  managedTenantId: string;
  createdAt: number;
}

/** A single-use link that makes a user an administrator. */
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
