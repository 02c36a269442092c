import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

const derived = (secretKey: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `understudy:${use}`, 32));

/** Tells two secret keys apart without revealing either. */
const fingerprintOf = (secretKey: Buffer): string =>
  createHmac('sha256', secretKey).update('understudy:fingerprint').digest('base64url').slice(0, 16);

/** Of the fingerprint, in every sealed text: enough to know which of two keys it was. */
const KEY_ID_LENGTH = 6;

/**
 * Encryption at rest: AES-256-GCM under a key derived from the secret key. `purpose` says what the
 * value is and whose (`signing-key:<tenant>:<id>`); it is authenticated, so a value copied into
 * another row, or another tenant's, does not open.
 *
 * A sealed text is `1.<key id>.<IV, ciphertext and tag in base64url>`. While the secret key is being
 * replaced there are two: either opens, the new one seals.
 */
export class SecretBox {
  /** The one in use first. */
  readonly #secretKeys: Buffer[];
  readonly #keys = new Map<string, Buffer>();
  readonly #key: Buffer;
  readonly fingerprint: string;
  readonly previousFingerprint: string | undefined;
  /** What a text begins with that the key in use has sealed. */
  readonly prefix: string;

  constructor(secretKey: Buffer, previousSecretKey?: Buffer) {
    this.#secretKeys = previousSecretKey ? [secretKey, previousSecretKey] : [secretKey];
    for (const each of this.#secretKeys.toReversed())
      this.#keys.set(fingerprintOf(each).slice(0, KEY_ID_LENGTH), derived(each, 'at-rest:1'));
    this.#key = derived(secretKey, 'at-rest:1');
    this.fingerprint = fingerprintOf(secretKey);
    this.previousFingerprint = previousSecretKey && fingerprintOf(previousSecretKey);
    this.prefix = `1.${this.fingerprint.slice(0, KEY_ID_LENGTH)}.`;
  }

  /** Keys for another use, such as signing cookies: they tell nothing of these. The first signs, all verify. */
  derive(use: string): string[] {
    return this.#secretKeys.map((secretKey) => derived(secretKey, use).toString('base64url'));
  }

  seal(text: string, purpose: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return this.prefix + sealed.toString('base64url');
  }

  /** @throws when the value was sealed with another key, for another purpose, or was changed */
  open(sealed: string, purpose: string): string {
    const key = this.#keys.get(sealed.slice(2, 2 + KEY_ID_LENGTH));
    if (!key) throw new Error('sealed with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS');
    const bytes = Buffer.from(sealed.slice(this.prefix.length), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}
