import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Patch } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { insertGathered } from '../interaction/complete.ts';
import { requireUnchanged } from '../interaction/credentials.ts';
import { progressOf } from '../interaction/flow.ts';
import { newProgress, writeProgress } from '../interaction/progress.ts';
import { recordUserAudit, recordUserEvent } from '../interaction/record-events.ts';
import type { Texts } from '../texts/index.ts';
import type { OpenAccount } from './open-account.ts';

type Notice = keyof Texts['notice']['changes'];
/** A change of the account. It is the last part of the audit action. */
type Change = Exclude<Notice, 'AddFactor'> | 'Name' | 'AddTotp' | 'AddPasskey' | 'AddBackupCodes';

/** Returns the notice that a change sends to the owner: none for the name, the same one for every new factor. */
const noticeOf = (change: Change): Notice | undefined => {
  if (change === 'Name') return undefined;
  return change === 'AddTotp' || change === 'AddPasskey' || change === 'AddBackupCodes' ? 'AddFactor' : change;
};

/**
 * Writes a change of the user's own account with `User.Data.Updated` and its audit row, in one transaction. Everything
 * the page gathered (a verified address, a new factor) is written with it. Then notifies the owner.
 *
 * @throws 409 `session.conflict` if the account changed or the session ended since the request began
 */
export async function applyChange(
  account: OpenAccount,
  change: Change,
  patch: Patch<'users'> = {},
  alsoWrite: (store: TenantStore) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { flow } = account;
  const { account: gathered, userId } = progressOf(flow);
  const id = userId as string;
  const progress = { ...newProgress('SignIn'), userId: id };
  await flow.store.transaction(async (store) => {
    await requireUnchanged(store, id, flow.credentials);
    const session = await store.find('oidcPayloads', { model: 'Session', uid: flow.sessionUid as string });
    if (!session) throw new ServiceError('session.conflict'); // The session ended in the meantime.
    const user = await store.update('users', { id }, { ...gathered, ...patch, updatedAt: flow.now });
    await insertGathered(store, flow, id);
    await alsoWrite(store);
    await recordUserEvent(store, 'User.Data.Updated', user, flow);
    await recordUserAudit(store, `Account.${change}`, id, flow);
    await writeProgress({ ...flow, store }, flow.uid, { ...flow.saved, progress });
  });
  const notice = noticeOf(change);
  if (notice) await notifyOwner(account, notice);
}

/**
 * Notifies the owner of a change, at the email address or phone number that the account had before it: after a
 * takeover the new one belongs to the attacker. Sends in the background, and only if a sender is configured. Never
 * fails, because the change is already made: when too many notices were sent or too many messages are being sent, it
 * only logs a warning.
 */
async function notifyOwner({ flow, user, view }: OpenAccount, change: Notice): Promise<void> {
  const { messenger, limits, logger } = flow.tools;
  try {
    await limits.take(flow.store, 'notice', `${user.id} ${change}`);
  } catch (error) {
    return logger.warn({ err: error, userId: user.id, change }, 'The owner was not notified of a change');
  }
  if (messenger.isFull) return logger.warn({ userId: user.id, change }, 'The owner was not notified of a change');
  const { brandName } = flow.settings;
  const { notice } = view.t;
  const what = notice.changes[change];
  const subject = notice.subject(brandName);
  if (user.primaryEmail && messenger.canSend('email')) {
    messenger.send({ channel: 'email', to: user.primaryEmail, subject, text: notice.text(what, brandName) });
  } else if (user.primaryPhone && messenger.canSend('sms')) {
    messenger.send({ channel: 'sms', to: `+${user.primaryPhone}`, subject, text: notice.sms(what, brandName) });
  }
}
