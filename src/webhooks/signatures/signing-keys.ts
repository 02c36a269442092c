import { LRUCache } from 'lru-cache';
import type { SecretBox } from '../../base/secret-box.ts';
import type { HookRow } from '../../database/tables/index.ts';

type HookKeys = Pick<HookRow, 'tenantId' | 'id' | 'signingKeyEncrypted' | 'oldSigningKeys'>;
type HookId = Pick<HookRow, 'tenantId' | 'id'>;

/** Old keys that still sign beside the new one; a header grows with each. */
const MAX_OLD_KEYS = 5;
const HOUR_MS = 60 * 60 * 1000;

export const hookKeyPurposeOf = ({ tenantId, id }: HookId) => `webhook-signing-key:${tenantId}:${id}`;

export function sealSigningKey(secrets: SecretBox, hook: HookId, signingKey: string): string {
  return secrets.seal(signingKey, hookKeyPurposeOf(hook));
}

/** The newest key: the one the API shows. */
export function openSigningKey(secrets: SecretBox, hook: HookKeys): string {
  return secrets.open(hook.signingKeyEncrypted, hookKeyPurposeOf(hook));
}

/** What a rotation writes: the new key, and the old ones that go on signing for `overlapHours` (0: none does). */
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

/** Opens the keys to sign with and remembers them, because a busy hook signs thousands of times with the same ones. */
export class KeyRing {
  readonly #secrets: SecretBox;
  readonly #opened = new LRUCache<string, string>({ max: 1000 });

  constructor(secrets: SecretBox) {
    this.#secrets = secrets;
  }

  /** Newest first; expired ones are left out. */
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
