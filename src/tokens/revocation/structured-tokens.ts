import { type JWTPayload, jwtVerify } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import type { Tenant } from '../../tenants.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { ManagementAccess } from '../resources/management-access.ts';
import { isRevoked, revokeToken } from './revoked-tokens.ts';

const tokens = new WeakMap<object, string>();

/** What the library is given in the place of a JWT: it authenticates the client and finds nothing. */
const PLACEHOLDER = 'structured';

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/**
 * oidc-provider neither introspects nor revokes JWTs, as it does not store them. It still reads the
 * form and authenticates the client: the JWT is taken out of the body before, and answered for after.
 */
export function takeStructuredToken(body: Buffer): { body: Buffer; token?: string } {
  const form = new URLSearchParams(body.toString());
  const [token, ...more] = form.getAll('token');
  if (token === undefined || more.length > 0 || !isJwt(token)) return { body };
  form.set('token', PLACEHOLDER);
  return { body: Buffer.from(form.toString()), token };
}

/** Remembers the JWT that was taken out of a request, for the middleware below. */
export const keepStructuredToken = (request: object, token: string): void => {
  tokens.set(request, token);
};

export interface StructuredTokensOptions {
  tenant: Tenant;
  keys: SigningKeys;
  access: ManagementAccess;
  clock: Clock;
}

/** Koa middleware around introspection (RFC 7662) and revocation (RFC 7009). */
export function structuredTokens({ tenant, keys, access, clock }: StructuredTokensOptions) {
  const { store } = tenant;

  /** The claims of a JWT of ours that has not expired; undefined for anything else. */
  async function verified(
    token: string,
  ): Promise<(JWTPayload & { jti: string; exp: number; client_id: string }) | undefined> {
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid = '', alg }) => {
          const known = keys.publicKeys.get(kid);
          if (!known || known.algorithm !== alg) throw new Error('not a key of this tenant');
          return known.key;
        },
        {
          typ: 'at+jwt',
          issuer: tenant.issuer,
          requiredClaims: ['jti', 'exp', 'client_id', 'sub'],
          currentDate: new Date(clock()),
        },
      );
      return payload as JWTPayload & { jti: string; exp: number; client_id: string };
    } catch {
      return undefined;
    }
  }

  /** Whoever the token is for, and the application it was given to, must still be there. */
  async function isLive({
    sub,
    client_id: clientId,
    jti,
    act,
  }: JWTPayload & { jti: string; client_id: string }): Promise<boolean> {
    if (!(await store.find('applications', { id: clientId })) || (await isRevoked(store, jti))) return false;
    if (sub === clientId) return true;
    const actorId = (act as { sub?: string } | undefined)?.sub;
    for (const id of [sub as string, actorId]) {
      if (id === undefined) continue;
      const user = await store.find('users', { id });
      if (!user || user.isSuspended) return false;
    }
    return true;
  }

  async function introspect(token: string, clientId: string): Promise<Record<string, unknown>> {
    const payload = await verified(token);
    // Own tokens only, unless the client is one that may call the Management API.
    const mayAsk = payload && (payload.client_id === clientId || (await access.isEntitled(tenant, clientId)));
    if (!payload || !mayAsk || !(await isLive(payload))) return { active: false };
    // RFC 7662 §2.2: last, so that no claim of the token says what the service answers for.
    return { ...payload, active: true, token_type: 'Bearer' };
  }

  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const token = tokens.get(ctx.req);
    const clientId = ctx.status === 200 ? ctx.oidc.client?.clientId : undefined;
    if (token === undefined || clientId === undefined) return;
    if (ctx.oidc.route === 'introspection') ctx.body = await introspect(token, clientId);
    if (ctx.oidc.route === 'revocation') {
      const payload = await verified(token);
      // RFC 7009 §2.2: an unknown token is answered with 200 as well; a client ends its own only (§2.1).
      if (payload?.client_id === clientId) await revokeToken(store, payload, clientId, clock());
    }
  };
}
