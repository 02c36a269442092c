import { errors } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Row } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';

/**
 * Records a JWT that is about to be issued, so that it can be revoked with its grant. The grant is locked during the
 * write: a request that ends it comes either before (then no token is issued) or after (then it revokes this one too).
 *
 * @throws `invalid_grant` when the grant has ended
 */
export async function rememberJwt(store: TenantStore, jwt: Omit<Row<'issuedJwts'>, 'tenantId'>): Promise<void> {
  await store.transaction(async (store) => {
    await store.lock('oidcPayloads', { model: 'Grant', id: hashOf(jwt.grantId) }).catch((error: unknown) => {
      throw error instanceof ServiceError ? new errors.InvalidGrant('the grant has ended') : error;
    });
    await store.add('issuedJwts', [jwt]);
  });
}

/**
 * Revokes the JWTs of a grant, a user or an application: introspection reports them inactive, and the public list has
 * them until they would have expired. Call it in the transaction that removes the grants, after removing them.
 */
export async function endJwts(
  store: TenantStore,
  of: Partial<Pick<Row<'issuedJwts'>, 'grantId' | 'accountId' | 'clientId'>>,
  now: number,
): Promise<void> {
  const issued = await store.from('issuedJwts').where(of).where('expiresAt', '>', now).select('id', 'expiresAt');
  await store.addMissing(
    'revokedTokens',
    issued.map(({ id, expiresAt }) => ({ id, expiresAt, revokedAt: now })),
  );
}
