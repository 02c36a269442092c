import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '../clock.ts';
import type { OidcPayloadRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { hashOf } from '../ids.ts';
import type { SecretBox } from '../secret-box.ts';
import { endJwts } from './issued-jwts.ts';

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
      return row.consumedAt === null ? payload : { ...payload, consumed: row.consumedAt / 1000 };
    };

    return {
      async upsert(value, payload, expiresIn) {
        const id = hashOf(value);
        await store.put(
          'oidcPayloads',
          { model, id },
          {
            payloadEncrypted: secrets.seal(JSON.stringify(payload), purposeOf(id)),
            // Of a finished interaction the person who signed in, so that it ends with what they hold.
            accountId: payload.accountId ?? payload.result?.login?.accountId ?? null,
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
        await store.transaction(async (store) => {
          await store.removeAll('oidcPayloads', { model, id: hashOf(value) });
          // JWTs of the grant end with it; others verify those by themselves.
          if (model === 'Grant') await endJwts(store, { grantId: value }, clock());
        });
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
