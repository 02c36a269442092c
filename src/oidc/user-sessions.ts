import { hashOf } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../database/tables/index.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import { lockSession, payloadPurposeOf } from './adapter.ts';
import type { SessionInteraction } from './session-interactions.ts';

export interface Where {
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

const opened = <T>({ store, secrets }: Where, { model, id, payloadEncrypted }: OidcPayloadRow): T =>
  JSON.parse(secrets.open(payloadEncrypted, payloadPurposeOf(store.tenantId, model, id)));

async function payloadsOf<T extends Payload>(where: Where, model: string, userId: string): Promise<T[]> {
  const rows: OidcPayloadRow[] = await where.store
    .from('oidcPayloads')
    .where({ model, accountId: userId })
    .where('expiresAt', '>', where.now)
    .select('*');
  return rows.map((row) => opened<T>(where, row)).sort((one, other) => other.iat - one.iat);
}

/** Returns a user's sessions, newest first. */
export const sessionsOf = (where: Where, userId: string): Promise<Session[]> => payloadsOf(where, 'Session', userId);

/** Returns a user's grants, newest first. */
export const grantsOf = (where: Where, userId: string): Promise<Grant[]> => payloadsOf(where, 'Grant', userId);

/** Returns a session of this user, or undefined if it is another user's or has expired. */
export async function findSession(where: Where, userId: string, uid: string): Promise<Session | undefined> {
  const row = await where.store.find('oidcPayloads', { model: 'Session', uid });
  return ownedBy(where, userId, row);
}

/** Like `findSession`, and locks the session, so that no request can add a grant to it before it is ended. */
export async function lockOwnSession(where: Where, userId: string, uid: string): Promise<Session | undefined> {
  return ownedBy(where, userId, await lockSession(where.store, uid));
}

function ownedBy(where: Where, userId: string, row: OidcPayloadRow | undefined): Session | undefined {
  if (row?.accountId !== userId || (row.expiresAt ?? 0) <= where.now) return undefined;
  return opened(where, row);
}

export async function hasGrant({ store }: Where, userId: string, grantId: string): Promise<boolean> {
  const row = await store.find('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
  return row?.accountId === userId;
}

/** Ends all console sessions of a user. They are not linked to the browser session in which they started. */
const endConsoleSessions = ({ store }: Where, userId: string) => store.removeAll('consoleSessions', { userId });

/** Returns the sign-in that started a session. */
export async function signInOf(where: Where, { uid }: Session): Promise<SessionInteraction | undefined> {
  const row = await where.store.find('oidcPayloads', { model: 'SessionInteraction', id: hashOf(uid) });
  return row && opened(where, row);
}

/** Ends a grant with all its tokens. For the console's grant, it also ends the user's console sessions. */
export async function endOwnGrant(where: Where, grantId: string): Promise<void> {
  const { store, now } = where;
  const row = await store.find('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
  if (row?.clientId === CONSOLE_CLIENT_ID && row.accountId) await endConsoleSessions(where, row.accountId);
  await endGrant(store, grantId, now);
}

/** Ends a browser session with the record of its sign-in, and the user's console sessions. */
export async function endSession(where: Where, { uid, accountId }: Session): Promise<void> {
  for (const model of ['Session', 'SessionInteraction']) await where.store.removeAll('oidcPayloads', { model, uid });
  await endConsoleSessions(where, accountId);
}
