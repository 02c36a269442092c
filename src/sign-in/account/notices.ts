import type { Texts } from '../texts/index.ts';
import type { OpenAccount } from './open-account.ts';

type Change = keyof Texts['notice']['changes'];

/**
 * Notifies the owner of a change, at the email address or phone number that the account had before it: after a
 * takeover the new one belongs to the attacker. Sends in the background, and only if a sender is configured. Never
 * fails, because the change is already made: when too many notices were sent or too many messages are on their way, it
 * only logs a warning.
 */
export async function notifyOwner({ flow, user }: OpenAccount, change: Change, t: Texts): Promise<void> {
  const { messenger, limits, logger } = flow.tools;
  try {
    await limits.take(flow.store, 'notice', `${user.id} ${change}`);
  } catch (error) {
    return logger.warn({ err: error, userId: user.id, change }, 'The owner was not notified of a change');
  }
  if (messenger.isFull) return logger.warn({ userId: user.id, change }, 'The owner was not notified of a change');
  const { brandName } = flow.settings;
  const what = t.notice.changes[change];
  const subject = t.notice.subject(brandName);
  if (user.primaryEmail && messenger.canSend('email')) {
    messenger.send({ channel: 'email', to: user.primaryEmail, subject, text: t.notice.text(what, brandName) });
  } else if (user.primaryPhone && messenger.canSend('sms')) {
    messenger.send({ channel: 'sms', to: `+${user.primaryPhone}`, subject, text: t.notice.sms(what, brandName) });
  }
}
