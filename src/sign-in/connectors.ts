import type { ConnectorRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';

export const DEFAULT_SCOPE = 'openid profile email';

export const connectorPurposeOf = (tenantId: string, connectorId: string): string =>
  `connector:${tenantId}:${connectorId}`;

const all = (store: TenantStore): Promise<ConnectorRow[]> =>
  store.from('connectors').orderBy('createdAt').select('*') as unknown as Promise<ConnectorRow[]>;

/** Those with e-mail domains are single sign-on: they are found by what is typed, and offered to nobody. */
export const offeredConnectors = async (store: TenantStore): Promise<ConnectorRow[]> =>
  (await all(store)).filter(({ domains }) => domains.length === 0);

export async function connectorOfDomain(store: TenantStore, email: string): Promise<ConnectorRow | undefined> {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  return (await all(store)).find(({ domains }) => domains.includes(domain));
}
