import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Patch } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { announceUser, auditPerson, type Occasion } from '../interaction/announce.ts';
import { linkAll } from '../interaction/complete.ts';
import { requireUnchanged } from '../interaction/credentials.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { newProgress, ProgressStore } from '../interaction/progress.ts';

/** The session is the occasion here, and no interaction. */
const occasionOf = (flow: Flow): Occasion => ({
  facts: flow.facts,
  requestId: flow.requestId,
  now: flow.now,
  sessionId: flow.sessionUid as string,
  application: undefined,
});

/**
 * Writes a change that a person made to their own account, with `User.Data.Updated` and its audit
 * row, in one transaction, unless the account or the session changed since the request began. Everything the page gathered (a proven address, a new factor) goes with it.
 *
 * @param what the audit row's word for it
 */
export async function applyChange(
  flow: Flow,
  what: string,
  patch: Patch<'users'> = {},
  besides: (store: TenantStore) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { account, userId } = progressOf(flow);
  const id = userId as string;
  const progress = { ...newProgress('SignIn'), userId: id };
  await flow.store.transaction(async (store) => {
    await requireUnchanged(store, id, flow.credentials);
    const session = await store.find('oidcPayloads', { model: 'Session', uid: flow.sessionUid as string });
    if (!session) throw new ServiceError('session.conflict'); // Ended meanwhile: what it began ends with it.
    const user = await store.update('users', { id }, { ...account, ...patch, updatedAt: flow.now });
    await linkAll(store, flow, id);
    await besides(store);
    await announceUser(store, 'User.Data.Updated', user, occasionOf(flow));
    await auditPerson(store, `Account.${what}`, id, occasionOf(flow));
    await new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, { ...flow.saved, progress }, store);
  });
}

/** What changes no data of the account: only the audit log tells of it. */
export async function auditChange(store: TenantStore, flow: Flow, what: string): Promise<void> {
  await auditPerson(store, `Account.${what}`, progressOf(flow).userId, occasionOf(flow));
}
