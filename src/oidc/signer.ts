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

/** What takes OpenSSL some 20 µs: less than it costs to wake another thread, and to be woken by it. */
const QUICK: ReadonlySet<SigningAlgorithm> = new Set(['ES256', 'EdDSA']);

/**
 * A signing key that oidc-provider hands its data to. The loser, a JWK, is signed with by WebCrypto, which takes every
 * signature to another thread: three times the processor's time for the default algorithm.
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
    const hash = HASHES[this.#algorithm];
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    if (QUICK.has(this.#algorithm)) resolve(sign(hash, data, key));
    else sign(hash, data, key, (error, signature) => (error ? reject(error) : resolve(signature)));
    return promise;
  }
}
