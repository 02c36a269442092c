import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { type Clock, secondsOf } from '../clock.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { contextOf } from '../http/context.ts';
import { endImpersonations } from './end-access.ts';

export interface RevokedToken {
  jti: string;
  /** Seconds since the epoch. */
  exp: number;
}

/** JWTs that were ended before their time and would still verify, oldest expiry first. */
export async function revokedTokens(store: TenantStore, now: number): Promise<RevokedToken[]> {
  const [impersonations, others] = await Promise.all([
    store.from('impersonations').whereNotNull('revokedAt').where('expiresAt', '>', now).select('id', 'expiresAt'),
    store.from('revokedTokens').where('expiresAt', '>', now).select('id', 'expiresAt'),
  ]);
  return [...impersonations, ...others]
    .map(({ id, expiresAt }) => ({ jti: id, exp: secondsOf(expiresAt) }))
    .sort((one, other) => one.exp - other.exp || one.jti.localeCompare(other.jti));
}

export async function isRevoked(store: TenantStore, jti: string): Promise<boolean> {
  const [impersonation, other] = await Promise.all([
    store.find('impersonations', { id: jti }),
    store.find('revokedTokens', { id: jti }),
  ]);
  return other !== undefined || (impersonation !== undefined && impersonation.revokedAt !== null);
}

/**
 * Ends one JWT (RFC 7009). An impersonation is ended in its own row, with an audit row of who did it; once is enough.
 */
export async function revokeToken(
  store: TenantStore,
  { jti, exp }: RevokedToken,
  clientId: string,
  now: number,
): Promise<void> {
  await store.transaction(async (store) => {
    if (await store.find('impersonations', { id: jti })) {
      await endImpersonations(store, (one) => one.where({ id: jti }), { by: clientId, reason: 'revoked', now });
    } else {
      await store.addMissing('revokedTokens', [{ id: jti, expiresAt: exp * 1000, revokedAt: now }]);
    }
  });
}

/**
 * `GET /oidc/revoked-tokens`: for resource servers that verify JWTs by themselves. Public: it says
 * nothing of whom a token was for.
 */
export function revokedTokensEndpoint(clock: Clock): RequestHandler {
  return async (request, response) => {
    const body = JSON.stringify({ tokens: await revokedTokens(contextOf(request).tenant.store, clock()) });
    response.set({
      'Cache-Control': 'public, max-age=1',
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'Access-Control-Allow-Origin': '*',
    });
    if (request.fresh) response.status(304).end();
    else response.type('application/json').send(body);
  };
}
