import type { Provider } from 'oidc-provider';
import type { Flow } from '../interaction/flow.ts';

export interface OwnSession {
  isThis: boolean;
  /** Epoch milliseconds. */
  since: number;
}

/** Further sessions are not listed, but *Sign out everywhere else* ends them too. */
const MAX_LISTED = 20;

/** Returns the sessions of a user, that of this browser first, then the newest. */
export async function sessionsOf(
  provider: Provider,
  { store, sessionUid, now }: Flow,
  userId: string,
): Promise<OwnSession[]> {
  const rows = await store
    .from('oidcPayloads')
    .where({ model: 'Session', accountId: userId })
    .where('expiresAt', '>', now)
    .limit(MAX_LISTED)
    .select('uid');
  const sessions = await Promise.all(
    rows.map(async ({ uid }) => {
      const session = uid ? await provider.Session.findByUid(uid) : undefined;
      return {
        isThis: uid === sessionUid,
        since: Number((session as { loginTs?: number } | undefined)?.loginTs ?? 0) * 1000,
      };
    }),
  );
  return sessions.sort((one, other) => Number(other.isThis) - Number(one.isThis) || other.since - one.since);
}
