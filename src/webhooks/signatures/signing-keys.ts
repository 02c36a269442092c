import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../base/secret-box.ts';
import { HOUR_MS } from '../../base/times.ts';
import type { HookRow } from '../../database/tables/index.ts';

type HookKeys = Pick<HookRow, 'tenantId' | 'id' | 'signingKeyEncrypted' | 'oldSigningKeys'>;
type HookId = Pick<HookRow, 'tenantId' | 'id'>;

/** Old secrets that still sign along with the new one. Each makes the signature header longer. */
const MAX_OLD_KEYS = 5;

export const hookKeyPurposeOf = ({ tenantId, id }: HookId) => `webhook-signing-key:${tenantId}:${id}`;

export function sealSigningKey(secrets: SecretBox, hook: HookId, signingKey: string): string {
  return secrets.seal(signingKey, hookKeyPurposeOf(hook));
}

/** Returns the newest signing secret, which the API shows. */
export function openSigningKey(secrets: SecretBox, hook: HookKeys): string {
  return secrets.open(hook.signingKeyEncrypted, hookKeyPurposeOf(hook));
}

/** Returns the columns that a rotation writes: the new secret, and the old ones valid for `overlapHours` (0: none). */
export function rotatedKeys(
  secrets: SecretBox,
  hook: HookKeys,
  { signingKey, overlapHours, now }: { signingKey: string; overlapHours: number; now: number },
): Pick<HookRow, 'signingKeyEncrypted' | 'oldSigningKeys'> {
  const replaced = { signingKeyEncrypted: hook.signingKeyEncrypted, expiresAt: now + overlapHours * HOUR_MS };
  const old = overlapHours === 0 ? [] : [replaced, ...hook.oldSigningKeys];
  return {
    signingKeyEncrypted: sealSigningKey(secrets, hook, signingKey),
    oldSigningKeys: old.filter(({ expiresAt }) => expiresAt > now).slice(0, MAX_OLD_KEYS),
  };
}

/** Decrypts signing secrets and caches them, because a busy webhook signs thousands of times with the same ones. */
export class KeyRing {
  readonly #secrets: SecretBox;
  readonly #opened = new LRUCache<string, string>({ max: 1000 });

  constructor(secrets: SecretBox) {
    this.#secrets = secrets;
  }

  /** Returns the unexpired signing secrets, newest first. */
  keysOf(hook: HookKeys, now: number): string[] {
    const live = hook.oldSigningKeys.filter(({ expiresAt }) => expiresAt > now);
    return [hook, ...live].map(({ signingKeyEncrypted }) => this.#open(hook, signingKeyEncrypted));
  }

  #open(hook: HookId, sealed: string): string {
    let key = this.#opened.get(sealed);
    if (key === undefined) {
      key = this.#secrets.open(sealed, hookKeyPurposeOf(hook));
      this.#opened.set(sealed, key);
    }
    return key;
  }
}
