import { type Clock, secondsOf } from '../clock.ts';
import type { Signer } from './signer.ts';
import { payloadOf, type TokenClaims, type TokenDescription } from './token-claims.ts';

export interface JwtAccessTokensOptions {
  issuer: string;
  /** The one that signs. */
  signer: Signer;
  claims: TokenClaims;
  clock: Clock;
}

export interface IssuedJwt {
  jwt: string;
  /** Milliseconds, of a whole second. */
  expiresAt: number;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Issues access tokens that are signed JWTs (RFC 9068). The signature leaves the thread, the rest is too little for a library. */
export class JwtAccessTokens {
  readonly #options: JwtAccessTokensOptions;
  /** RFC 9068 §2.1, the same for all. */
  readonly #header: string;

  constructor(options: JwtAccessTokensOptions) {
    this.#options = options;
    const { alg, kid } = options.signer;
    this.#header = encoded({ alg, typ: 'at+jwt', kid });
  }

  /** @param ttl seconds */
  async issue(token: TokenDescription, ttl: number): Promise<IssuedJwt> {
    const { issuer, signer, claims, clock } = this.#options;
    const ofScript = await claims.ofScript(token);
    const { jti, clientId, aud, scope, accountId = clientId } = token;
    const iat = secondsOf(clock());
    const exp = iat + ttl;
    const standard = { jti, sub: accountId, iat, exp, scope, client_id: clientId, iss: issuer, aud };
    const signed = `${this.#header}.${encoded(payloadOf(ofScript, standard, token))}`;
    const signature = await signer.sign(Buffer.from(signed));
    return { jwt: `${signed}.${signature.toString('base64url')}`, expiresAt: exp * 1000 };
  }
}
