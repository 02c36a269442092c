import { isDeepStrictEqual } from 'node:util';
import { type Adapter, errors, type Grant, Provider, type Session } from 'oidc-provider';
import type { Clock } from '../base/clock.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import type { TenantAdapter } from './adapter.ts';

/** `iat` is missing until the library stores it, so what has one was loaded. The types say otherwise. */
export const isStored = ({ iat }: { iat?: number }): boolean => iat !== undefined;

const hasEnded = () => new errors.LoginRequired('the session has ended');

/** Saves as the library does, but for the writes that are given. */
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
 * A grant that was loaded is saved if it still exists, and a new one, whose `sessionUid` says where it is given, while that
 * session does. Without a `sessionUid` the sign-in of the same request begins the session.
 */
function saveLivingGrants({ Grant: { prototype } }: Provider): void {
  const { save } = prototype;
  prototype.save = async function saveLiving(this: Grant & { sessionUid?: string }) {
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
  /** Before `resetIdentifier`. */
  oldId?: string;
}

/** Members that the types leave out. */
interface SessionModel {
  prototype: LoadedSession;
  instantiate(payload?: Fields): Session;
}

/**
 * What is stored, with the changes of this request alone. Two tabs have the session loaded at a time: neither may
 * forget the grant that the other was given, or the sign-out that it began.
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

/** The browser keeps the cookie that it has: another request may have given it a newer one. */
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
 * The library saves every session that it has loaded at the end of the request. Here such a save only changes a session
 * that still exists, under the id that it was loaded by, so nothing brings back one that was ended meanwhile. The
 * request is then refused, and what it has granted ends too.
 */
function saveLivingSessions(provider: Provider, store: TenantStore, clock: Clock): void {
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

  prototype.save = async function saveLiving(this: LoadedSession, ttl) {
    const { loaded } = this;
    if (!loaded) return save.call(this, ttl);
    const sessions = this.adapter as TenantAdapter;
    const known = this.oldId ?? this.jti;
    let isLiving = true;
    const saved = await saveWith(
      this,
      {
        // The library removes the row of the old id, which here gets the new id instead.
        async destroy() {},
        async upsert(value, payload, expiresIn) {
          const change = (stored: Fields) => merged(loaded, payload, stored);
          isLiving = await sessions.replace(known, value, change, expiresIn);
        },
      },
      () => save.call(this, ttl),
    );
    delete this.oldId;
    if (!isLiving) await refuse(this);
    return saved;
  };
}

/** Keeps the library from bringing back what was ended while it held it. */
export function keepEnded(provider: Provider, store: TenantStore, clock: Clock): void {
  saveLivingSessions(provider, store, clock);
  saveLivingGrants(provider);
}
