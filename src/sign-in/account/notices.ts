import type { Texts } from '../texts/index.ts';
import type { OpenAccount } from './open-account.ts';

type Change = keyof Texts['notice']['changes'];

/**
 * Tells the owner that the account changed, at the address or number that it had before: whoever took it over has the new
 * one. Goes out in the background, and only where a sender is configured. The change stands already: where the owner was told
 * of many like it, or too many messages are on their way, nothing is sent and nothing fails.
 */
export async function tellOwner({ flow, user }: OpenAccount, change: Change, t: Texts): Promise<void> {
  const { messenger, limits, logger } = flow.tools;
  try {
    await limits.take(flow.store, 'notice', `${user.id} ${change}`);
  } catch (error) {
    return logger.warn({ err: error, userId: user.id, change }, 'the owner was not told of a change');
  }
  if (messenger.isFull) return logger.warn({ userId: user.id, change }, 'the owner was not told of a change');
  const { brandName } = flow.settings;
  const what = t.notice.changes[change];
  const subject = t.notice.subject(brandName);
  if (user.primaryEmail && messenger.canSend('email')) {
    messenger.send({ channel: 'email', to: user.primaryEmail, subject, text: t.notice.text(what, brandName) });
  } else if (user.primaryPhone && messenger.canSend('sms')) {
    messenger.send({ channel: 'sms', to: `+${user.primaryPhone}`, subject, text: t.notice.sms(what, brandName) });
  }
}
