import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Clock } from '../../base/clock.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { contextOf } from '../../http/context.ts';
import { endImpersonations } from './end-access.ts';

/** True if a JWT was revoked. */
export const isRevoked = async (store: TenantStore, jti: string): Promise<boolean> =>
  (await store.find('revokedTokens', { id: jti })) !== undefined;

/**
 * Revokes one JWT (RFC 7009). An impersonation is also revoked in its own row, with an audit row that names the client.
 * Repeated calls have no effect.
 */
export async function revokeToken(
  store: TenantStore,
  { jti, exp }: { jti: string; exp: number },
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

/** The list as JSON, built by the database. Parsing tens of thousands of rows here would block the event loop. */
const TEXT = {
  sqlite: `coalesce(json_group_array(json_object('jti', id, 'exp', expires_at / 1000) order by expires_at, id), '[]')`,
  postgres: `coalesce(json_agg(json_build_object('jti', id, 'exp', expires_at / 1000) order by expires_at, id collate "C"), '[]')::text`,
};

/** Revoked JWTs that have not expired, ordered by expiry in seconds and then by `jti`. */
async function listOf(store: TenantStore, now: number): Promise<{ body: string; etag: string }> {
  const text = store.fragment(`${TEXT[store.kind]} as text`);
  const row: unknown = await store.from('revokedTokens').where('expiresAt', '>', now).first(text);
  const body = `{"tokens":${(row as { text: string }).text}}`;
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

/**
 * `GET /oidc/revoked-tokens`, for resource servers that verify JWTs themselves. Public: it reveals no users.
 *
 * @param lists caches one list per tenant for one second
 */
export function revokedTokensEndpoint(clock: Clock, lists: TenantCache): RequestHandler {
  return async (request, response) => {
    const { id, store } = contextOf(request).tenant;
    const { body, etag } = await lists.get(id, 'list', () => listOf(store, clock()));
    response.set({ 'Cache-Control': 'public, max-age=1', ETag: etag, 'Access-Control-Allow-Origin': '*' });
    if (request.fresh) response.status(304).end();
    else response.type('application/json').send(body);
  };
}
