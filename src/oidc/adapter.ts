import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import type { Key, OidcPayloadRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { hashOf } from '../ids.ts';
import type { SecretBox } from '../secret-box.ts';
import { endJwts } from './issued-jwts.ts';

/**
 * A spent refresh token sent again within this is refused without ending its grant: two tabs of one
 * application refreshed at once. Later it is taken for theft (RFC 9700 §4.14.2).
 */
const REFRESH_REUSE_GRACE_MS = 3_000;

export interface AdapterOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
  findClient(id: string): Promise<AdapterPayload | undefined>;
}

export const payloadPurposeOf = (tenantId: string, model: string, id: string): string =>
  `oidc:${tenantId}:${model}:${id}`;

/**
 * oidc-provider's persistence for one tenant. The id of a token, code or session is its value, so
 * it is stored as a hash, and the rest of the payload (which repeats it) encrypted.
 */
export function adapterFor({ store, secrets, clock, findClient }: AdapterOptions) {
  return (model: string): Adapter => {
    if (model === 'Client') return clientAdapter(findClient);

    const purposeOf = (id: string) => payloadPurposeOf(store.tenantId, model, id);

    const open = (row: OidcPayloadRow | undefined): AdapterPayload | undefined => {
      if (!row) return undefined;
      const payload = JSON.parse(secrets.open(row.payloadEncrypted, purposeOf(row.id))) as AdapterPayload;
      if (row.consumedAt === null) return payload;
      if (model === 'RefreshToken' && clock() - row.consumedAt < REFRESH_REUSE_GRACE_MS) return undefined;
      return { ...payload, consumed: Math.floor(row.consumedAt / 1000) };
    };

    /** What was given under the grant ends with it: rows here, and JWTs, which others verify by themselves. */
    const endGrant = (grantId: string, rows: Key<'oidcPayloads'>): Promise<void> =>
      store.transaction(async (store) => {
        await store.removeAll('oidcPayloads', rows);
        await endJwts(store, { grantId }, clock());
      });

    return {
      async upsert(value, payload, expiresIn) {
        const id = hashOf(value);
        await store.put(
          'oidcPayloads',
          { model, id },
          {
            payloadEncrypted: secrets.seal(JSON.stringify(payload), purposeOf(id)),
            accountId: payload.accountId ?? null,
            clientId: payload.clientId ?? null,
            grantId: payload.grantId ?? null,
            uid: payload.uid ?? null,
            expiresAt: expiresIn ? clock() + expiresIn * 1000 : null,
          },
        );
      },

      async find(value) {
        return open(await store.find('oidcPayloads', { model, id: hashOf(value) }));
      },

      async findByUid(uid) {
        return open(await store.find('oidcPayloads', { model, uid }));
      },

      /** Only device codes have one, and that grant is off. */
      async findByUserCode() {
        return undefined;
      },

      async destroy(value) {
        const key = { model, id: hashOf(value) };
        if (model === 'Grant') await endGrant(value, key);
        else await store.removeAll('oidcPayloads', key);
      },

      async revokeByGrantId(grantId) {
        // The library asks every model in turn, this one always.
        if (model === 'AccessToken') await endGrant(grantId, { grantId });
      },

      /** True for one request only: the library read `consumed` before, so another may have been faster. */
      async consume(value) {
        const spent = await store.change(
          'oidcPayloads',
          { model, id: hashOf(value), consumedAt: null },
          { consumedAt: clock() },
        );
        if (spent !== 1) throw new errors.InvalidGrant('already consumed');
      },
    };
  };
}

function clientAdapter(find: AdapterOptions['findClient']): Adapter {
  const readOnly = async () => {
    throw new Error('clients are changed through the Management API');
  };
  return {
    find,
    upsert: readOnly,
    destroy: readOnly,
    consume: readOnly,
    revokeByGrantId: readOnly,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}
