import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKeyRow } from '../database/tables.ts';

export type SigningAlgorithm = SigningKeyRow['algorithm'];

/** RFC 7518 §3.1 and RFC 8037 §3.1, in the words of OpenSSL; EdDSA hashes by itself. */
const HASHES: Record<SigningAlgorithm, string | null> = {
  ES256: 'sha256',
  ES384: 'sha384',
  RS256: 'sha256',
  EdDSA: null,
};

/**
 * A signing key, also in the form that oidc-provider takes one. Two lose: a JWK, whose every signature goes through
 * WebCrypto at a third more of the processor's time; and to sign on this thread, where the tables of the curve and the
 * heap push each other out of its cache, which makes the signature cost four times what it costs elsewhere.
 */
export class Signer extends ExternalSigningKey {
  readonly #kid: string;
  readonly #algorithm: SigningAlgorithm;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  /** @param jwk with its private part */
  constructor(kid: string, algorithm: SigningAlgorithm, jwk: JWK) {
    super();
    this.#kid = kid;
    this.#algorithm = algorithm;
    this.#privateKey = createPrivateKey({ key: jwk as never, format: 'jwk' });
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  override get kid(): string {
    return this.#kid;
  }

  override get alg(): SigningAlgorithm {
    return this.#algorithm;
  }

  /** The public part. */
  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  override sign(data: Uint8Array): Promise<Buffer> {
    // RFC 7518 §3.4: r and s side by side. RSA and EdDSA know no such choice and ignore it.
    const key = { key: this.#privateKey, dsaEncoding: 'ieee-p1363' as const };
    return new Promise((resolve, reject) => {
      sign(HASHES[this.#algorithm], data, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    });
  }
}
