import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../../database/tables/index.ts';
import { payloadPurposeOf } from '../session-interactions.ts';

/**
 * How long a spent refresh token still works, because two tabs of one application may refresh at the same moment. Later
 * use counts as theft (RFC 9700 §4.14.2).
 */
const REUSE_GRACE_MS = 3_000;

const MODEL = 'RefreshToken';

export interface RefreshTokensOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
}

/** A refresh token and its successor, by value. */
interface Rotation {
  value: string;
  grantId: string;
  /** Value of the refresh token that replaces it. */
  successor: string;
}

/**
 * Rotation of refresh tokens. A spent token keeps the encrypted value of its successor, so a repeated request within
 * the grace period gets the same successor. Rejected: a new successor for each request. A thief's line of tokens would then
 * never meet the owner's, and the theft would go unnoticed.
 */
export class RefreshTokens {
  readonly #options: RefreshTokensOptions;

  constructor(options: RefreshTokensOptions) {
    this.#options = options;
  }

  /** True if a token spent at that time no longer works. @param consumed epoch seconds, as oidc-provider stores it */
  isReplay(consumed: number): boolean {
    return this.#options.clock() - consumed * 1000 >= REUSE_GRACE_MS;
  }

  /**
   * Spends a refresh token. Returns true for one caller only, ever: the update matches only an unspent token whose
   * grant exists. Ending a grant deletes its row, so it either makes this return false or ends the successor too.
   */
  async spend({ value, grantId, successor }: Rotation): Promise<boolean> {
    const { store, secrets, clock } = this.#options;
    const key = keyOf(value);
    const row = await store.find('oidcPayloads', key);
    if (!row) return false;
    const payload = JSON.stringify({ ...this.#payloadOf(row), successor });
    const spent = await store.changeWhere(
      'oidcPayloads',
      (token) =>
        token.where({ ...key, consumedAt: null }).whereExists(store.from('oidcPayloads').where(grantKey(grantId))),
      { consumedAt: clock(), payloadEncrypted: secrets.seal(payload, this.#purposeOf(key.id)) },
    );
    return spent === 1;
  }

  /** Returns the unspent token of this one's line: itself or a successor. Undefined if the line or its grant ended. */
  async newestOf(value: string, grantId: string): Promise<string | undefined> {
    const { store } = this.#options;
    for (let newest: string | undefined = value; newest !== undefined; ) {
      const row: OidcPayloadRow | undefined = await store.find('oidcPayloads', keyOf(newest));
      if (!row) return undefined;
      if (row.consumedAt === null) return (await store.find('oidcPayloads', grantKey(grantId))) && newest;
      newest = this.#payloadOf(row).successor;
    }
    return undefined;
  }

  #payloadOf({ id, payloadEncrypted }: OidcPayloadRow): AdapterPayload & { successor?: string } {
    return JSON.parse(this.#options.secrets.open(payloadEncrypted, this.#purposeOf(id)));
  }

  #purposeOf(id: string): string {
    return payloadPurposeOf(this.#options.store.tenantId, MODEL, id);
  }
}

const keyOf = (value: string) => ({ model: MODEL, id: hashOf(value) });
const grantKey = (grantId: string) => ({ model: 'Grant', id: hashOf(grantId) });
