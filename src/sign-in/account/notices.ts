import type { Texts } from '../texts/index.ts';
import type { OpenAccount } from './open-account.ts';

/**
 * Tells the owner that the account changed, at the address or number that it had before: whoever took it over has the new
 * one. Goes out in the background, and only where a sender is configured.
 */
export function tellOwner({ flow, user }: OpenAccount, change: keyof Texts['notice']['changes'], t: Texts): void {
  const { messenger } = flow.tools;
  const { brandName } = flow.settings;
  const what = t.notice.changes[change];
  const subject = t.notice.subject(brandName);
  if (user.primaryEmail && messenger.canSend('email')) {
    messenger.send({ channel: 'email', to: user.primaryEmail, subject, text: t.notice.text(what, brandName) });
  } else if (user.primaryPhone && messenger.canSend('sms')) {
    messenger.send({ channel: 'sms', to: `+${user.primaryPhone}`, subject, text: t.notice.sms(what, brandName) });
  }
}
