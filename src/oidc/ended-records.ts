import { isDeepStrictEqual } from 'node:util';
import { type Adapter, errors, type Grant, Provider, type Session } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import type { TenantAdapter } from './adapter.ts';

/** True for a loaded record: oidc-provider sets `iat` when it stores one, although its types always have it. */
export const isStored = ({ iat }: { iat?: number }): boolean => iat !== undefined;

const hasEnded = () => new errors.LoginRequired('the session has ended');

/** Runs `save` of oidc-provider with some of the adapter's writes replaced. */
async function saveWith(
  model: { readonly adapter: Adapter },
  writes: Partial<Adapter>,
  save: () => Promise<string>,
): Promise<string> {
  Object.defineProperty(model, 'adapter', { value: { ...model.adapter, ...writes }, configurable: true });
  try {
    return await save();
  } finally {
    Reflect.deleteProperty(model, 'adapter');
  }
}

/**
 * Makes `Grant.save` update a loaded grant only if it still exists, and insert a new grant only if the session in its
 * `sessionUid` still exists. A grant without `sessionUid` belongs to a session that the same request starts.
 */
function protectEndedGrants({ Grant: { prototype } }: Provider): void {
  const { save } = prototype;
  prototype.save = async function saveUnlessEnded(this: Grant & { sessionUid?: string }) {
    const adapter = this.adapter as TenantAdapter;
    const { sessionUid } = this;
    let write: TenantAdapter['insertWithin'] | undefined;
    if (isStored(this)) write = (known, value, payload, ttl) => adapter.replace(known, value, () => payload, ttl);
    else if (sessionUid !== undefined) write = (_, ...record) => adapter.insertWithin(sessionUid, ...record);
    if (!write) return save.call(this);
    const upsert: Adapter['upsert'] = async (value, payload, expiresIn) => {
      if (!(await write(value, value, payload, expiresIn))) throw hasEnded();
    };
    return saveWith(this, { upsert }, () => save.call(this));
  };
}

type Fields = Record<string, unknown>;

interface LoadedSession extends Session {
  /** The stored fields when this request began. */
  readonly loaded?: Fields;
  /** The id before `resetIdentifier`. */
  oldId?: string;
}

/** Members that the types of oidc-provider omit. */
interface SessionModel {
  prototype: LoadedSession;
  instantiate(payload?: Fields): Session;
}

/**
 * Returns the stored fields with only the changes of this request applied. Two tabs may have loaded the session at the
 * same time; neither may overwrite the grant or the sign-out of the other.
 */
function merged(loaded: Fields, changed: Fields, stored: Fields): Fields {
  const result = { ...stored };
  for (const name of new Set([...Object.keys(loaded), ...Object.keys(changed)])) {
    if (isDeepStrictEqual(loaded[name], changed[name])) continue;
    if (name === 'authorizations')
      result[name] = merged(fieldsOf(loaded[name]), fieldsOf(changed[name]), fieldsOf(stored[name]));
    else if (changed[name] === undefined) delete result[name];
    else result[name] = changed[name];
  }
  return result;
}

const fieldsOf = (value: unknown): Fields => (value ?? {}) as Fields;

/** Removes the session cookie from the response, because another request may have set a newer one. */
function keepCookie({ oidc, response }: NonNullable<typeof Provider.ctx>): void {
  const name = oidc.provider.cookieName('session');
  const cookies = [response.get('set-cookie')].flat();
  const others = cookies.filter(
    (cookie) => cookie && !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
  );
  if (others.length > 0) response.set('set-cookie', others);
  else response.remove('set-cookie');
}

/**
 * oidc-provider saves every loaded session at the end of the request. This makes the save update only a session that
 * still exists under the id by which it was loaded, so a session that ended during the request stays ended. The request
 * is then refused, and the grant that it made ends too.
 */
function protectEndedSessions(provider: Provider, store: TenantStore, clock: Clock): void {
  const Model = provider.Session as unknown as SessionModel;
  const { prototype, instantiate } = Model;
  const { save } = prototype;

  async function refuse(session: Session): Promise<void> {
    const { ctx } = Provider;
    if (ctx) keepCookie(ctx);
    if (session.accountId === undefined) return;
    const grant = ctx?.oidc.entities.Grant;
    if (grant?.jti && !isStored(grant)) await endGrant(store, grant.jti, clock());
    throw hasEnded();
  }

  Model.instantiate = function instantiateLoaded(this: unknown, payload) {
    const session = instantiate.call(this, payload);
    if (payload && isStored(payload)) Object.defineProperty(session, 'loaded', { value: structuredClone(payload) });
    return session;
  };

  prototype.save = async function saveUnlessEnded(this: LoadedSession, ttl) {
    const { loaded } = this;
    if (!loaded) return save.call(this, ttl);
    const sessions = this.adapter as TenantAdapter;
    const known = this.oldId ?? this.jti;
    let stillExists = true;
    const saved = await saveWith(
      this,
      {
        // oidc-provider deletes the row with the old id. Here that row gets the new id instead.
        async destroy() {},
        async upsert(value, payload, expiresIn) {
          const change = (stored: Fields) => merged(loaded, payload, stored);
          stillExists = await sessions.replace(known, value, change, expiresIn);
        },
      },
      () => save.call(this, ttl),
    );
    delete this.oldId;
    if (!stillExists) await refuse(this);
    return saved;
  };
}

/** Keeps oidc-provider from restoring sessions and grants that ended while a request had them loaded. */
export function keepEnded(provider: Provider, store: TenantStore, clock: Clock): void {
  protectEndedSessions(provider, store, clock);
  protectEndedGrants(provider);
}
