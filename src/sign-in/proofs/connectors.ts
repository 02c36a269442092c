import { normalEmail } from '../../base/email-and-phone.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ConnectorRow } from '../../database/tables/index.ts';

export const DEFAULT_SCOPE = 'openid profile email';

export const connectorPurposeOf = (tenantId: string, connectorId: string): string =>
  `connector:${tenantId}:${connectorId}`;

const all = (store: TenantStore): Promise<ConnectorRow[]> =>
  store.from('connectors').orderBy('createdAt').select('*') as unknown as Promise<ConnectorRow[]>;

/**
 * The connectors that the pages list. Those with email domains are for single sign-on: they are found by the address
 * that was entered.
 */
export const offeredConnectors = async (store: TenantStore): Promise<ConnectorRow[]> =>
  (await all(store)).filter(({ domains }) => domains.length === 0);

export async function connectorOfDomain(store: TenantStore, email: string): Promise<ConnectorRow | undefined> {
  // An older release may have stored the address in another spelling.
  const address = normalEmail(email) ?? email;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return (await all(store)).find(({ domains }) => domains.includes(domain));
}
