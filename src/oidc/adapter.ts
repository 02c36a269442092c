import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import { hashOf } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../database/tables/index.ts';
import { ServiceError } from '../errors.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import { endJwts } from '../tokens/revocation/issued-jwts.ts';
import { payloadPurposeOf } from '../tokens/session-interactions.ts';

export interface AdapterOptions {
  store: TenantStore;
  secrets: SecretBox;
  clock: Clock;
  findClient(id: string): Promise<AdapterPayload | undefined>;
}

export type PayloadChange = (stored: AdapterPayload) => AdapterPayload;

/**
 * oidc-provider's `upsert` writes a record even if it no longer exists, so a request that has loaded a session would
 * restore it after its end. These two writes write nothing and return false if the session or grant has ended.
 */
export interface TenantAdapter extends Adapter {
  /** Replaces the record `known`, possibly under a new id. `change` returns the new payload from the stored one. */
  replace(known: string, value: string, change: PayloadChange, expiresIn?: number): Promise<boolean>;
  /**
   * Inserts a record that belongs to a session. The session is locked during the write, so a request that ends it
   * comes either before (then this returns false) or after (then it deletes the record).
   */
  insertWithin(sessionUid: string, value: string, payload: AdapterPayload, expiresIn?: number): Promise<boolean>;
}

/**
 * oidc-provider's persistence for one tenant. The id of a token, code or session is its secret value, so only its hash
 * is stored. The payload repeats the value and is therefore encrypted.
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
      // A finished interaction belongs to the user who signed in, so that it ends with the user's sessions.
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
          const stored = open(await ifExists(store.lock('oidcPayloads', key)));
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

      /** Only the device grant has user codes, and it is disabled. */
      async findByUserCode() {
        return undefined;
      },

      async destroy(value) {
        if (model === 'Grant') await endGrant(store, value, clock());
        else await store.removeAll('oidcPayloads', { model, id: hashOf(value) });
      },

      async revokeByGrantId(grantId) {
        await store.removeAll('oidcPayloads', { model, grantId });
        // oidc-provider calls this once per model, and always for AccessToken.
        if (model === 'AccessToken') await endJwts(store, { grantId }, clock());
      },

      /**
       * Spends an authorization code; nothing else is consumed this way. Succeeds for one request only: oidc-provider
       * has checked `consumed` before, but a parallel request may have spent the code since.
       */
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

/** Returns a record that is locked until the end of the transaction, or undefined if it no longer exists. */
const ifExists = (locked: Promise<OidcPayloadRow>): Promise<OidcPayloadRow | undefined> =>
  locked.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });

export const lockSession = (store: TenantStore, uid: string) =>
  ifExists(store.lock('oidcPayloads', { model: 'Session', uid }));

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
