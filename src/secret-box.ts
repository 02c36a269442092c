import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encryption at rest: AES-256-GCM under a key derived from the secret key. `purpose` says what the
 * value is and whose (`signing-key:<tenant>:<id>`); it is authenticated, so a value copied into
 * another row, or another tenant's, does not open.
 */
export class SecretBox {
  readonly #secretKey: Buffer;
  readonly #key: Buffer;
  /** Tells two secret keys apart without revealing either. */
  readonly fingerprint: string;

  constructor(secretKey: Buffer) {
    this.#secretKey = secretKey;
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'understudy:at-rest:1', 32));
    this.fingerprint = createHmac('sha256', secretKey)
      .update('understudy:fingerprint')
      .digest('base64url')
      .slice(0, 16);
  }

  /** A key for another use, such as signing cookies: it tells nothing of this one. */
  derive(purpose: string): string {
    return Buffer.from(hkdfSync('sha256', this.#secretKey, '', `understudy:${purpose}`, 32)).toString('base64url');
  }

  seal(text: string, purpose: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(purpose));
    return `1.${Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`;
  }

  /** @throws when the value was sealed with another key, for another purpose, or was changed */
  open(sealed: string, purpose: string): string {
    const bytes = Buffer.from(sealed.slice(2), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}
