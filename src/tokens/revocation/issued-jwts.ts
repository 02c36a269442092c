import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { IssuedJwtRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { invalidGrant } from '../endpoint/error-body.ts';

/**
 * Remembers a JWT that is about to be given to a user's application, so that it can be ended with its grant. The grant is
 * locked meanwhile: whatever ends it comes before, and then there is no token, or after, and then finds this one.
 *
 * @throws `invalid_grant` when the grant has ended
 */
export async function rememberJwt(store: TenantStore, jwt: Omit<IssuedJwtRow, 'tenantId'>): Promise<void> {
  await store.transaction(async (store) => {
    await store.lock('oidcPayloads', { model: 'Grant', id: hashOf(jwt.grantId) }).catch((error: unknown) => {
      throw error instanceof ServiceError ? invalidGrant('the grant has ended') : error;
    });
    await store.add('issuedJwts', [jwt]);
  });
}

/**
 * Ends the JWTs of a grant, a user or an application: introspection calls them inactive, and the public list names them
 * until they would have expired. In the transaction that has removed the grants, after that.
 */
export async function endJwts(
  store: TenantStore,
  of: Partial<Pick<IssuedJwtRow, 'grantId' | 'accountId' | 'clientId'>>,
  now: number,
): Promise<void> {
  const issued = await store.from('issuedJwts').where(of).where('expiresAt', '>', now).select('id', 'expiresAt');
  await store.addMissing(
    'revokedTokens',
    issued.map(({ id, expiresAt }) => ({ id, expiresAt, revokedAt: now })),
  );
}
