import type { JWTPayload } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import type { Tenant } from '../../tenants.ts';
import { verifyJwt } from '../access-tokens/access-tokens.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { ManagementAccess } from '../resources/management-access.ts';
import { isRevoked, revokeToken } from './revoked-tokens.ts';

const tokens = new WeakMap<object, string>();

/** Replaces a JWT in the form that oidc-provider reads: it authenticates the client and finds no such token. */
const PLACEHOLDER = 'structured';

const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/**
 * Takes the JWT out of an introspection or revocation form, for the middleware below. oidc-provider does not store JWTs
 * and can neither introspect nor revoke them, but it reads the form and authenticates the client.
 */
export function takeStructuredToken(body: string): { body: string; token?: string } {
  const form = new URLSearchParams(body);
  const [token, ...more] = form.getAll('token');
  if (token === undefined || more.length > 0 || !isJwt(token)) return { body };
  form.set('token', PLACEHOLDER);
  return { body: String(form), token };
}

/** Remembers the JWT of a request for the middleware below. */
export const keepStructuredToken = (request: object, token: string): void => {
  tokens.set(request, token);
};

type VerifiedPayload = JWTPayload & { jti: string; exp: number; client_id: string };

export interface StructuredTokensOptions {
  tenant: Tenant;
  keys: SigningKeys;
  access: ManagementAccess;
  clock: Clock;
}

/** Koa middleware around introspection (RFC 7662) and revocation (RFC 7009). */
export function structuredTokens({ tenant, keys, access, clock }: StructuredTokensOptions) {
  const { store } = tenant;

  /** Returns the claims of an unexpired JWT of this tenant, or undefined. */
  async function verified(token: string): Promise<VerifiedPayload | undefined> {
    const requiredClaims = ['jti', 'exp', 'client_id', 'sub'];
    const options = { requiredClaims, currentDate: new Date(clock()) };
    return verifyJwt(tenant, keys, token, options).then(
      ({ payload }) => payload as VerifiedPayload,
      () => undefined,
    );
  }

  /** True if the token is not revoked, its application exists, and its subject and actor are active users. */
  async function isLive({ sub, client_id: clientId, jti, act }: VerifiedPayload): Promise<boolean> {
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
    // A client may introspect its own tokens. One that may call the Management API may introspect any.
    const mayIntrospect = payload && (payload.client_id === clientId || (await access.isEntitled(tenant, clientId)));
    if (!payload || !mayIntrospect || !(await isLive(payload))) return { active: false };
    // Last, so that no claim of the token replaces them (RFC 7662 §2.2).
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
      // An unknown token also gets 200 (RFC 7009 §2.2). A client can revoke only its own tokens (§2.1).
      if (payload?.client_id === clientId) await revokeToken(store, payload, clientId, clock());
    }
  };
}
