import { type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { VerifiedToken } from '../../http/authenticate.ts';
import type { Tenant } from '../../tenants.ts';
import { SIGNING_ALGORITHMS, type SigningKeys } from '../keys/signing-keys.ts';

/** How long a verified token is not verified again. Revocation and the application are still checked on every call. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Remembered {
  token: VerifiedToken;
  jti: string;
  /** Checked against the wall clock, which may jump. The cache's own timer is monotonic and would miss that. */
  expiresAt: number;
}

export interface AccessTokensOptions {
  keysOf(tenant: Tenant): Promise<SigningKeys>;
  /** Audiences of which a token must have one. */
  audiencesOf(tenant: Tenant): Promise<string[]>;
  /** Called for every request, so its results should be cached. */
  isRevoked(tenant: Tenant, jti: string): Promise<boolean>;
  clock: Clock;
}

/**
 * Verifies a JWT access token of a tenant (RFC 9068 §4): `typ`, `kid` and the algorithm of that key, issuer and times.
 * Key material named by the token itself (`jwk`, `jku`, another `alg`) is ignored.
 */
export const verifyJwt = (
  { issuer }: Tenant,
  { publicKeys }: SigningKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> =>
  jwtVerify(
    token,
    ({ kid = '', alg }) => {
      const known = publicKeys.get(kid);
      if (!known || known.algorithm !== alg) throw new Error('not a signing key of this tenant');
      return known.key;
    },
    { typ: 'at+jwt', issuer, algorithms: [...SIGNING_ALGORITHMS], crit: {}, ...options },
  );

/** Verifies access tokens sent to the Management API, also their audience and that they were not revoked (RFC 7009 §2). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #verified = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS });

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  /** Resolves to undefined if the token is not valid. Rejects if the database fails, because the token may be valid. */
  async verify(tenant: Tenant, token: string): Promise<VerifiedToken | undefined> {
    const key = `${tenant.id} ${tenant.version} ${token}`;
    let known = this.#verified.get(key);
    if (!known || known.expiresAt <= this.#options.clock()) {
      known = await this.#verify(tenant, token);
      if (!known) return undefined;
      this.#verified.set(key, known);
    }
    return (await this.#options.isRevoked(tenant, known.jti)) ? undefined : known.token;
  }

  async #verify(tenant: Tenant, token: string): Promise<Remembered | undefined> {
    const { keysOf, audiencesOf, clock } = this.#options;
    const [keys, audience] = [await keysOf(tenant), await audiencesOf(tenant)];
    const options = { audience, requiredClaims: ['exp', 'jti'], currentDate: new Date(clock()) };
    const verified = await verifyJwt(tenant, keys, token, options).catch(() => undefined);
    if (!verified) return undefined;
    const { payload } = verified;
    const claims: VerifiedToken = {
      ...(payload.sub !== undefined && { sub: payload.sub }),
      clientId: String(payload.client_id),
      scopes: new Set(String(payload.scope ?? '').split(' ')),
    };
    return { token: claims, jti: payload.jti as string, expiresAt: (payload.exp as number) * 1000 };
  }
}
