import type { AdapterPayload } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import { hashOf } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../../database/tables/index.ts';
import { payloadPurposeOf } from '../payload-purpose.ts';

/**
 * A spent refresh token is still answered for this long: two tabs of one application, or two of its APIs, refresh at
 * the same moment. Later it is taken for theft (RFC 9700 §4.14.2).
 */
const REUSE_GRACE_MS = 3_000;

const MODEL = 'RefreshToken';

export interface RefreshTokensOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
}

/** A refresh token and the one that takes its place. */
interface Spend {
  /** The token's own value. */
  value: string;
  grantId: string;
  /** The value of the token that takes its place. */
  successor: string;
}

/**
 * Rotation of refresh tokens. A spent one remembers, encrypted, the value that took its place, so whoever sends it
 * again in time gets that same value. Rejected: a token of its own for each. Of several lines the thief's would never
 * meet the owner's, and the theft would stay unseen.
 */
export class RefreshTokens {
  readonly #options: RefreshTokensOptions;

  constructor(options: RefreshTokensOptions) {
    this.#options = options;
  }

  /** @param consumed seconds since the epoch, as the library has it */
  isReplay(consumed: number): boolean {
    return this.#options.clock() - consumed * 1000 >= REUSE_GRACE_MS;
  }

  /**
   * True for one caller only, ever: the update matches an unspent token of a living grant, or nothing. A grant that ends
   * takes its own row with it, so a revocation or suspension is either seen here or ends the successor too.
   */
  async spend({ value, grantId, successor }: Spend): Promise<boolean> {
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

  /** The unspent token of this one's line: itself, or what took its place. Undefined when the line or its grant ended. */
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
