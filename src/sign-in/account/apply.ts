import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Patch } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { insertGathered } from '../interaction/complete.ts';
import { requireUnchanged } from '../interaction/credentials.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { newProgress, ProgressStore } from '../interaction/progress.ts';
import { type EventContext, recordUserAudit, recordUserEvent } from '../interaction/record-events.ts';

/** The facts of a change on the account page. There is no interaction, so the session's id takes its place. */
const eventContextOf = (flow: Flow): EventContext => ({
  facts: flow.facts,
  requestId: flow.requestId,
  now: flow.now,
  sessionId: flow.sessionUid as string,
  application: undefined,
});

/**
 * Writes a change of the user's own account with `User.Data.Updated` and its audit row, in one transaction. Everything
 * the page gathered (a verified address, a new factor) is written with it.
 *
 * @param what the last part of the audit action, such as `Password`
 * @throws 409 `session.conflict` if the account changed or the session ended since the request began
 */
export async function applyChange(
  flow: Flow,
  what: string,
  patch: Patch<'users'> = {},
  alsoWrite: (store: TenantStore) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { account, userId } = progressOf(flow);
  const id = userId as string;
  const progress = { ...newProgress('SignIn'), userId: id };
  await flow.store.transaction(async (store) => {
    await requireUnchanged(store, id, flow.credentials);
    const session = await store.find('oidcPayloads', { model: 'Session', uid: flow.sessionUid as string });
    if (!session) throw new ServiceError('session.conflict'); // The session ended in the meantime.
    const user = await store.update('users', { id }, { ...account, ...patch, updatedAt: flow.now });
    await insertGathered(store, flow, id);
    await alsoWrite(store);
    await recordUserEvent(store, 'User.Data.Updated', user, eventContextOf(flow));
    await recordUserAudit(store, `Account.${what}`, id, eventContextOf(flow));
    await new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, { ...flow.saved, progress }, store);
  });
}

/** Records a change that leaves the user's data as it is: an audit row, and no event. */
export async function auditChange(store: TenantStore, flow: Flow, what: string): Promise<void> {
  await recordUserAudit(store, `Account.${what}`, progressOf(flow).userId, eventContextOf(flow));
}
