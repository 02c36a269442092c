import { type Clock, secondsOf } from '../../base/clock.ts';
import type { Signer } from '../keys/signer.ts';
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

/** Issues access tokens that are signed JWTs (RFC 9068): too little for a library. */
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
    const data = Buffer.from(signed);
    // An exchange goes on to the database; a machine's token is all there is to its request.
    const signature = await (token.exchange ? signer.signHere(data) : signer.sign(data));
    return { jwt: `${signed}.${signature.toString('base64url')}`, expiresAt: exp * 1000 };
  }
}
