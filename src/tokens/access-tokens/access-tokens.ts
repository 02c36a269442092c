import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { VerifiedToken } from '../../http/authenticate.ts';
import type { Tenant } from '../../tenants.ts';
import { SIGNING_ALGORITHMS, type SigningKeys } from '../keys/signing-keys.ts';

/** How long a verified token is not verified again. The state of its application is still checked on every call. */
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
  /** Called for every request, so it must not wait for the database. */
  isRevoked(tenant: Tenant, jti: string): Promise<boolean>;
}

/**
 * Verifies access tokens sent to the Management API (RFC 9068 §4): `typ`, `kid` and the algorithm of that key, issuer,
 * audience, times, and that the token was not revoked (RFC 7009 §2). Key material named by the token itself (`jwk`,
 * `jku`, another `alg`) is ignored.
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
        if (!known) throw new Error('the signing key does not belong to this tenant');
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
      if (verified.protectedHeader.alg !== algorithm) throw new Error('the algorithm does not match the signing key');
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
