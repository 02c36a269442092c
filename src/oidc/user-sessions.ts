import { hashOf } from '../base/ids.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { OidcPayloadRow } from '../database/tables/index.ts';
import { CONSOLE_CLIENT_ID } from '../tokens/clients/console-client.ts';
import { payloadPurposeOf } from '../tokens/payload-purpose.ts';
import { endGrant } from '../tokens/revocation/end-access.ts';
import type { SessionInteraction } from '../tokens/session-interactions.ts';
import { lockSession } from './adapter.ts';

export interface Where {
  store: TenantStore;
  secrets: SecretBox;
  /** Epoch milliseconds. */
  now: number;
}

/** Members of oidc-provider's payloads that both have. Times are seconds. */
interface Payload {
  accountId: string;
  exp: number;
  iat: number;
  kind: string;
}

/** Its `jti` is what the browser's cookie holds, so it is known here by its `uid` alone. */
export interface Session extends Payload {
  uid: string;
  loginTs: number;
  /** By application, the grant that the session gave it. */
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

/** Where a user is signed in, newest first. */
export const sessionsOf = (where: Where, userId: string): Promise<Session[]> => payloadsOf(where, 'Session', userId);

/** Grants of a user, newest first. */
export const grantsOf = (where: Where, userId: string): Promise<Grant[]> => payloadsOf(where, 'Grant', userId);

/** Undefined for another user's, and for one that is over. */
export async function findSession(where: Where, userId: string, uid: string): Promise<Session | undefined> {
  const row = await where.store.find('oidcPayloads', { model: 'Session', uid });
  return ownedBy(where, userId, row);
}

/** Like `findSession`, for a session that is about to end: the grants that it names are all that it has given. */
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

/** The console keeps sessions of its own, without the browser session that each began in: so all of the user's end. */
const endConsoleSessions = ({ store }: Where, userId: string) => store.removeAll('consoleSessions', { userId });

/** The sign-in that began a session. */
export async function signInOf(where: Where, { uid }: Session): Promise<SessionInteraction | undefined> {
  const row = await where.store.find('oidcPayloads', { model: 'SessionInteraction', id: hashOf(uid) });
  return row && opened(where, row);
}

/** With all that was given under it. The console's grant ends its sessions too. */
export async function endOwnGrant(where: Where, grantId: string): Promise<void> {
  const { store, now } = where;
  const row = await store.find('oidcPayloads', { model: 'Grant', id: hashOf(grantId) });
  if (row?.clientId === CONSOLE_CLIENT_ID && row.accountId) await endConsoleSessions(where, row.accountId);
  await endGrant(store, grantId, now);
}

/** Its browser has to sign in again, and an administrator in the console too. What began the session goes with it. */
export async function endSession(where: Where, { uid, accountId }: Session): Promise<void> {
  for (const model of ['Session', 'SessionInteraction']) await where.store.removeAll('oidcPayloads', { model, uid });
  await endConsoleSessions(where, accountId);
}
