import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ConnectorRow, UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Identifier } from '../interaction/verification.ts';
import { connectorOfDomain } from './connectors.ts';

/**
 * Single sign-on is the only sign-in method for an account with an email address in a connector's domains, or with a
 * linked identity of a connector that has domains now, whenever it was linked. A user who is removed at the company's
 * provider therefore loses access here too. Accounts that only have a username or a phone number sign in as before,
 * until an address or identity is added.
 */

/** @throws 422 `session.sso_required`, whether or not the account exists */
export async function refuseSsoAddress(store: TenantStore, { type, value }: Identifier): Promise<void> {
  if (type === 'email') refuseFor(await connectorOfDomain(store, value));
}

/** Called after a first factor other than single sign-on was proven. @throws 422 `session.sso_required` */
export async function refuseSsoAccount(store: TenantStore, user: UserRow): Promise<void> {
  if (user.primaryEmail) refuseFor(await connectorOfDomain(store, user.primaryEmail));
  for (const target of await ssoTargetsOf(store, user.id)) refuseFor(await store.find('connectors', { target }));
}

/**
 * Returns the single sign-on providers of an account. The connector's current domains decide.
 *
 * Rejected: `isSso` of the identity, which records what the connector was when the identity was linked.
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
