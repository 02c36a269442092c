import { hashOf } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Condition, Query, TenantStore } from '../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../database/tables/index.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import { payloadPurposeOf, type SessionInteraction } from '../tokens/session-interactions.ts';
import { lockSession } from './adapter.ts';

export interface SessionContext {
  store: TenantStore;
  secrets: SecretBox;
  /** Epoch milliseconds. */
  now: number;
}

/** Fields that sessions and grants of oidc-provider share. Times are epoch seconds. */
interface Payload {
  accountId: string;
  exp: number;
  iat: number;
  kind: string;
}

/** A browser session. Identified by its `uid`, because its `jti` is the secret value of the cookie. */
export interface Session extends Payload {
  uid: string;
  loginTs: number;
  /** Grants of the session, by application id. */
  authorizations?: Record<string, { grantId?: string }>;
}

export interface Grant extends Payload {
  jti: string;
  clientId: string;
}

const decrypted = <T>({ store, secrets }: SessionContext, { model, id, payloadEncrypted }: OidcPayloadRow): T =>
  JSON.parse(secrets.open(payloadEncrypted, payloadPurposeOf(store.tenantId, model, id)));

type Page = { limit: number; offset: number } | undefined;

/**
 * Returns a user's payloads of a model, and their number on all pages. Only those of the page are decrypted. They are
 * ordered by their expiry, because the other times are encrypted: the payloads of a model have one lifetime, which
 * starts again when they are used.
 */
async function payloadsOf<T extends Payload>(context: SessionContext, key: PayloadKey, page: Page, where?: Condition) {
  const matching = () => {
    const query = context.store.from('oidcPayloads').where(key).where('expiresAt', '>', context.now);
    where?.(query);
    return query;
  };
  const query = matching().orderBy([{ column: 'expiresAt', order: 'desc' }, { column: 'id' }]);
  if (page) query.limit(page.limit).offset(page.offset);
  const [rows, counted] = await Promise.all([
    query.select('*') as Promise<OidcPayloadRow[]>,
    page && (matching().count({ total: '*' }) as unknown as Promise<{ total: number }[]>),
  ]);
  return { rows: rows.map((row) => decrypted<T>(context, row)), total: counted?.[0]?.total ?? rows.length };
}

interface PayloadKey {
  model: string;
  accountId: string;
}

/** Returns a user's sessions, the one used last first. */
export const sessionsOf = (context: SessionContext, accountId: string, page: Page) =>
  payloadsOf<Session>(context, { model: 'Session', accountId }, page);

/** Returns a user's grants to these applications, newest first. */
export const grantsOf = (context: SessionContext, accountId: string, applicationIds: Query, page: Page) =>
  payloadsOf<Grant>(context, { model: 'Grant', accountId }, page, (grants) =>
    grants.whereIn('clientId', applicationIds),
  );

/** Returns a session of this user, or undefined if it is another user's or has expired. */
export async function findSession(context: SessionContext, userId: string, uid: string): Promise<Session | undefined> {
  const row = await context.store.find('oidcPayloads', { model: 'Session', uid });
  return openIfOwned(context, userId, row);
}

/** Like `findSession`, and locks the session, so that no request can add a grant to it before it is ended. */
export async function lockOwnSession(
  context: SessionContext,
  userId: string,
  uid: string,
): Promise<Session | undefined> {
  return openIfOwned(context, userId, await lockSession(context.store, uid));
}

function openIfOwned(context: SessionContext, userId: string, row: OidcPayloadRow | undefined): Session | undefined {
  if (row?.accountId !== userId || (row.expiresAt ?? 0) <= context.now) return undefined;
  return decrypted(context, row);
}

export async function hasGrant({ store }: SessionContext, userId: string, grantId: string): Promise<boolean> {
  const row = await store.find('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
  return row?.accountId === userId;
}

/** Ends all console sessions of a user. They are not linked to the browser session in which they started. */
const endConsoleSessions = ({ store }: SessionContext, userId: string) =>
  store.removeAll('consoleSessions', { userId });

/** Returns the sign-in that started a session. */
export async function signInOf(context: SessionContext, { uid }: Session): Promise<SessionInteraction | undefined> {
  const row = await context.store.find('oidcPayloads', { model: 'SessionInteraction', id: hashOf(uid) });
  return row && decrypted(context, row);
}

/** Ends a grant with all its tokens. For the console's grant, it also ends the user's console sessions. */
export async function endOwnGrant(context: SessionContext, grantId: string): Promise<void> {
  const { store, now } = context;
  const row = await store.find('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
  if (row?.clientId === CONSOLE_CLIENT_ID && row.accountId) await endConsoleSessions(context, row.accountId);
  await endGrant(store, grantId, now);
}

/** Ends a browser session with the record of its sign-in, and the user's console sessions. */
export async function endSession(context: SessionContext, { uid, accountId }: Session): Promise<void> {
  for (const model of ['Session', 'SessionInteraction']) await context.store.removeAll('oidcPayloads', { model, uid });
  await endConsoleSessions(context, accountId);
}
