import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

const derived = (secretKey: Buffer, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `understudy:${use}`, 32));

/** Identifies a secret key without revealing it. */
const fingerprintOf = (secretKey: Buffer): string =>
  createHmac('sha256', secretKey).update('understudy:fingerprint').digest('base64url').slice(0, 16);

/** Characters of the fingerprint in every sealed text, enough to tell which of two keys sealed it. */
const KEY_ID_LENGTH = 6;

/**
 * Encryption at rest: AES-256-GCM with a key derived from the secret key. `purpose` names the value and its owner
 * (`signing-key:<tenant>:<id>`). It is authenticated, so a value that is copied to another row or tenant does not open.
 *
 * A sealed text is `1.<key id>.<IV, ciphertext and tag in base64url>`. While the secret key is being replaced there are
 * two keys: both open, only the new one seals.
 */
export class SecretBox {
  /** The current one first. */
  readonly #secretKeys: Buffer[];
  readonly #keys = new Map<string, Buffer>();
  readonly #key: Buffer;
  readonly fingerprint: string;
  readonly previousFingerprint: string | undefined;
  /** The beginning of every text that the current key has sealed. */
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

  /** Returns keys for another use, such as cookies. They do not reveal the secret key. The first signs, all verify. */
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
    if (!key) throw new Error('The value was sealed with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS.');
    const bytes = Buffer.from(sealed.slice(this.prefix.length), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Returns the JSON value that a cookie has. Undefined unless this service sealed it for this purpose. */
  openJson<Value>(sealed: string | undefined, purpose: string): Value | undefined {
    try {
      return sealed === undefined ? undefined : JSON.parse(this.open(sealed, purpose));
    } catch {
      return undefined;
    }
  }
}
