import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ConnectorRow, UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Identifier } from '../interaction/progress.ts';
import { connectorOfDomain } from './connectors.ts';

/**
 * Single sign-on is the only way in for accounts that it answers for: with an e-mail address of a connector's domains, or
 * with an identity of a connector that has domains now, whenever the identity was linked. Whoever the company shuts out at
 * its provider is shut out here too. Accounts with a username or a phone number alone sign in as before, until one of the two is added.
 */

/** @throws 422 `session.sso_required`; whether there is such an account makes no difference */
export async function refuseSsoAddress(store: TenantStore, { type, value }: Identifier): Promise<void> {
  if (type === 'email') refuseFor(await connectorOfDomain(store, value));
}

/** After a first factor other than single sign-on was proven. @throws 422 `session.sso_required` */
export async function refuseSsoAccount(store: TenantStore, user: UserRow): Promise<void> {
  if (user.primaryEmail) refuseFor(await connectorOfDomain(store, user.primaryEmail));
  for (const target of await ssoTargetsOf(store, user.id)) refuseFor(await store.find('connectors', { target }));
}

/**
 * The providers that an account is bound to. The connector's present domains decide. Rejected: `isSso` of the identity, which
 * keeps what the connector was when it was linked.
 */
export async function ssoTargetsOf(store: TenantStore, userId: string): Promise<string[]> {
  const identities = await store.from('userIdentities').where({ userId }).select('target');
  const connectors = await Promise.all(identities.map(({ target }) => store.find('connectors', { target })));
  return connectors.flatMap((connector) => (connector && connector.domains.length > 0 ? [connector.target] : []));
}

function refuseFor(connector: ConnectorRow | undefined): void {
  if (!connector) return;
  const { target, name } = connector;
  throw new ServiceError('session.sso_required', { data: { target, name } });
}
