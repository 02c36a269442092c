import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { VerifiedToken } from '../../http/authenticate.ts';
import type { Tenant } from '../../tenants.ts';
import { SIGNING_ALGORITHMS, type SigningKeys } from '../keys/signing-keys.ts';

/** How long a verified token is not verified again. Its application is looked at on every call all the same. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Remembered {
  token: VerifiedToken;
  jti: string;
  /** By the clock, which may jump: the cache's own time does not. */
  expiresAt: number;
}

export interface AccessTokensOptions {
  keysOf(tenant: Tenant): Promise<SigningKeys>;
  /** A token must have one of these. */
  audiencesOf(tenant: Tenant): Promise<string[]>;
  /** Asked for every request, so the answer must be at hand. */
  isRevoked(tenant: Tenant, jti: string): Promise<boolean>;
}

/**
 * Verifies our own access tokens at the Management API (RFC 9068 §4): `typ`, a key of ours by `kid`
 * with its one algorithm, issuer, audience and times, and that it was not ended (RFC 7009 §2). What a token says of its keys (`jwk`, `jku`,
 * another `alg`) is never looked at.
 */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #verified = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED, ttl: REMEMBER_MS });

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  async verify(tenant: Tenant, token: string): Promise<VerifiedToken> {
    const key = `${tenant.id} ${tenant.version} ${token}`;
    let known = this.#verified.get(key);
    if (!known || known.expiresAt <= Date.now()) {
      known = await this.#verify(tenant, token);
      this.#verified.set(key, known);
    }
    if (await this.#options.isRevoked(tenant, known.jti)) throw new Error('the token was revoked');
    return known.token;
  }

  async #verify(tenant: Tenant, token: string): Promise<Remembered> {
    const { publicKeys } = await this.#options.keysOf(tenant);
    let algorithm = '';
    const { payload } = await jwtVerify(
      token,
      ({ kid = '' }) => {
        const known = publicKeys.get(kid);
        if (!known) throw new Error('the key is not one of this tenant');
        algorithm = known.algorithm;
        return known.key;
      },
      {
        typ: 'at+jwt',
        issuer: tenant.issuer,
        audience: await this.#options.audiencesOf(tenant),
        algorithms: [...SIGNING_ALGORITHMS],
        requiredClaims: ['exp', 'jti'],
        crit: {},
      },
    ).then((verified) => {
      if (verified.protectedHeader.alg !== algorithm) throw new Error('the algorithm is not that of the key');
      return verified;
    });

    const verified: VerifiedToken = {
      ...(payload.sub !== undefined && { sub: payload.sub }),
      clientId: String(payload.client_id),
      scopes: new Set(String(payload.scope ?? '').split(' ')),
    };
    return { token: verified, jti: payload.jti as string, expiresAt: (payload.exp as number) * 1000 };
  }
}
