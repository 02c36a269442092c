import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKeyRow } from '../../database/tables/index.ts';

export type SigningAlgorithm = SigningKeyRow['algorithm'];

/** RFC 7518 §3.1 and RFC 8037 §3.1, in the words of OpenSSL; EdDSA hashes by itself. */
const HASHES: Record<SigningAlgorithm, string | null> = {
  ES256: 'sha256',
  ES384: 'sha384',
  RS256: 'sha256',
  EdDSA: null,
};

/** Less than a tenth of a millisecond. The others take up to a whole one, for which nobody else may wait. */
const QUICK: readonly SigningAlgorithm[] = ['ES256', 'EdDSA'];

/**
 * A signing key, also in the form that oidc-provider takes one. A JWK loses: its every signature goes through WebCrypto at
 * a third more of the processor's time.
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

  /**
   * On another thread: best where this one has no time left. Here the tables of the curve and the heap push each other out of
   * the cache, and the signature costs four times what it costs there.
   */
  override sign(data: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      sign(HASHES[this.#algorithm], data, this.#key, (error, signature) =>
        error ? reject(error) : resolve(signature),
      );
    });
  }

  /**
   * On this thread, when the algorithm is quick: best where requests wait for the database anyway. The other threads sleep
   * meanwhile, and to wake one costs more than the signature.
   */
  async signHere(data: Uint8Array): Promise<Buffer> {
    return QUICK.includes(this.#algorithm) ? sign(HASHES[this.#algorithm], data, this.#key) : this.sign(data);
  }

  get #key() {
    // RFC 7518 §3.4: r and s side by side. RSA and EdDSA know no such choice and ignore it.
    return { key: this.#privateKey, dsaEncoding: 'ieee-p1363' as const };
  }
}
