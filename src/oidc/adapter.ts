import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import { hashOf } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { Key, OidcPayloadRow } from '../database/tables/index.ts';
import { ServiceError } from '../errors.ts';
import { payloadPurposeOf } from '../tokens/payload-purpose.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import { endJwts } from '../tokens/revocation/issued-jwts.ts';

export interface AdapterOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
  findClient(id: string): Promise<AdapterPayload | undefined>;
}

export type Change = (stored: AdapterPayload) => AdapterPayload;

/**
 * The library's `upsert` writes a record whether or not it still exists, so a request that has loaded one would bring it back
 * after its end. These two writes do not. Both return false, and write nothing, if the session or grant has ended.
 */
export interface TenantAdapter extends Adapter {
  /** Replaces the record `known`, which may get another id with it. `change` makes the new payload of what is stored now. */
  replace(known: string, value: string, change: Change, expiresIn?: number): Promise<boolean>;
  /** Writes a record of a session. The session is locked meanwhile, so an end of it comes before this or sees it. */
  insertWithin(sessionUid: string, value: string, payload: AdapterPayload, expiresIn?: number): Promise<boolean>;
}

/**
 * oidc-provider's persistence for one tenant. The id of a token, code or session is its value, so
 * it is stored as a hash, and the rest of the payload (which repeats it) encrypted.
 */
export function adapterFor({ store, secrets, clock, findClient }: AdapterOptions) {
  return (model: string): TenantAdapter => {
    if (model === 'Client') return clientAdapter(findClient);

    const purposeOf = (id: string) => payloadPurposeOf(store.tenantId, model, id);

    const open = (row: OidcPayloadRow | undefined): AdapterPayload | undefined => {
      if (!row) return undefined;
      const payload = JSON.parse(secrets.open(row.payloadEncrypted, purposeOf(row.id))) as AdapterPayload;
      return row.consumedAt === null ? payload : { ...payload, consumed: row.consumedAt / 1000 };
    };

    const fieldsOf = (id: string, payload: AdapterPayload, expiresIn?: number) => ({
      payloadEncrypted: secrets.seal(JSON.stringify(payload), purposeOf(id)),
      // Of a finished interaction the person who signed in, so that it ends with what they hold.
      accountId: payload.accountId ?? payload.result?.login?.accountId ?? null,
      clientId: payload.clientId ?? null,
      grantId: payload.grantId ?? null,
      uid: payload.uid ?? null,
      expiresAt: expiresIn ? clock() + expiresIn * 1000 : null,
    });

    return {
      async upsert(value, payload, expiresIn) {
        const id = hashOf(value);
        await store.put('oidcPayloads', { model, id }, fieldsOf(id, payload, expiresIn));
      },

      async replace(known, value, change, expiresIn) {
        const [key, id] = [{ model, id: hashOf(known) }, hashOf(value)];
        return store.transaction(async (store) => {
          const stored = open(await lockPayload(store, key));
          if (!stored) return false;
          await store.change('oidcPayloads', key, { id, ...fieldsOf(id, change(stored), expiresIn) });
          return true;
        });
      },

      async insertWithin(sessionUid, value, payload, expiresIn) {
        const id = hashOf(value);
        return store.transaction(async (store) => {
          if (!(await lockSession(store, sessionUid))) return false;
          await store.insert('oidcPayloads', { model, id, consumedAt: null, ...fieldsOf(id, payload, expiresIn) });
          return true;
        });
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
        if (model === 'Grant') await endGrant(store, value, clock());
        else await store.removeAll('oidcPayloads', { model, id: hashOf(value) });
      },

      async revokeByGrantId(grantId) {
        await store.removeAll('oidcPayloads', { model, grantId });
        // The library asks the models one by one, this one always.
        if (model === 'AccessToken') await endJwts(store, { grantId }, clock());
      },

      /** Only codes are spent this way. Throws for all but one request: the library read `consumed` before, so another may have been faster. */
      async consume(value) {
        const spent = await store.change(
          'oidcPayloads',
          { model, id: hashOf(value), consumedAt: null },
          { consumedAt: clock() },
        );
        if (spent !== 1) throw new errors.InvalidGrant('authorization code already consumed');
      },
    };
  };
}

/** Until the end of the transaction no other ends the record, or changes it. Undefined: it has ended. */
async function lockPayload(store: TenantStore, key: Key<'oidcPayloads'>): Promise<OidcPayloadRow | undefined> {
  return store.lock('oidcPayloads', key).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
}

export const lockSession = (store: TenantStore, uid: string) => lockPayload(store, { model: 'Session', uid });

function clientAdapter(find: AdapterOptions['findClient']): TenantAdapter {
  const readOnly = async () => {
    throw new Error('clients are changed through the Management API');
  };
  return {
    find,
    upsert: readOnly,
    replace: readOnly,
    insertWithin: readOnly,
    destroy: readOnly,
    consume: readOnly,
    revokeByGrantId: readOnly,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}
