import { type Clock, secondsOf } from '../../base/clock.ts';
import type { Signer } from '../keys/signer.ts';
import { payloadOf, type TokenClaims, type TokenDescription } from './token-claims.ts';

export interface JwtAccessTokensOptions {
  issuer: string;
  /** The current signing key. */
  signer: Signer;
  claims: TokenClaims;
  clock: Clock;
}

export interface IssuedJwt {
  jwt: string;
  /** Epoch milliseconds, a whole second. */
  expiresAt: number;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Issues access tokens as signed JWTs (RFC 9068). */
export class JwtAccessTokens {
  readonly #options: JwtAccessTokensOptions;
  /** The encoded header, the same for all tokens (RFC 9068 §2.1). */
  readonly #header: string;

  constructor(options: JwtAccessTokensOptions) {
    this.#options = options;
    const { alg, kid } = options.signer;
    this.#header = encoded({ alg, typ: 'at+jwt', kid });
  }

  /** @param ttl seconds */
  async issue(token: TokenDescription, ttl: number): Promise<IssuedJwt> {
    const { issuer, signer, claims, clock } = this.#options;
    const scriptClaims = await claims.fromScript(token);
    const { jti, clientId, aud, scope, accountId = clientId } = token;
    const iat = secondsOf(clock());
    const exp = iat + ttl;
    const standard = { jti, sub: accountId, iat, exp, scope, client_id: clientId, iss: issuer, aud };
    const signingInput = `${this.#header}.${encoded(payloadOf(scriptClaims, standard, token))}`;
    const data = Buffer.from(signingInput);
    // An exchange waits for the database next, so it signs on this thread. Other grants sign on the pool: see `Signer`.
    const signature = await (token.exchange ? signer.signHere(data) : signer.sign(data));
    return { jwt: `${signingInput}.${signature.toString('base64url')}`, expiresAt: exp * 1000 };
  }
}
