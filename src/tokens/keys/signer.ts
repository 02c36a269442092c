import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';
import type { SigningKeyRow } from '../../database/tables/index.ts';

export type SigningAlgorithm = SigningKeyRow['algorithm'];

/** OpenSSL's digest for each algorithm (RFC 7518 §3.1, RFC 8037 §3.1). EdDSA has its own. */
const HASHES: Record<SigningAlgorithm, string | null> = {
  ES256: 'sha256',
  ES384: 'sha384',
  RS256: 'sha256',
  EdDSA: null,
};

/** Algorithms that sign in under 0.1 ms. The others take up to 1 ms, which is too long to block the event loop. */
const QUICK: readonly SigningAlgorithm[] = ['ES256', 'EdDSA'];

/** A signing key for oidc-provider. Rejected: a JWK, which signs through WebCrypto and takes a third more CPU time. */
export class Signer extends ExternalSigningKey {
  readonly #kid: string;
  readonly #algorithm: SigningAlgorithm;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  /** @param jwk with private parts */
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

  /** The public key. */
  override keyObject(): KeyObject {
    return this.#publicKey;
  }

  /**
   * Signs on libuv's thread pool. Use it when the main thread is saturated: there a signature takes four times as long,
   * because the tables of the curve and the heap evict each other from the CPU cache.
   */
  override sign(data: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      sign(HASHES[this.#algorithm], data, this.#key, (error, signature) =>
        error ? reject(error) : resolve(signature),
      );
    });
  }

  /**
   * Signs on the main thread if the algorithm is quick. Use it where requests wait for the database anyway: the pool's
   * threads are asleep then, and waking one takes longer than the signature.
   */
  async signHere(data: Uint8Array): Promise<Buffer> {
    return QUICK.includes(this.#algorithm) ? sign(HASHES[this.#algorithm], data, this.#key) : this.sign(data);
  }

  get #key() {
    // ECDSA signatures are r and s concatenated (RFC 7518 §3.4). RSA and EdDSA ignore the option.
    return { key: this.#privateKey, dsaEncoding: 'ieee-p1363' as const };
  }
}
