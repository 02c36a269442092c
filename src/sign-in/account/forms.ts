import type { UserRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import * as actions from '../actions.ts';
import { type Flow, progressOf, saveProgress, verificationOf } from '../interaction/flow.ts';
import { columnOf } from '../interaction/identifiers.ts';
import { recordUserAudit } from '../interaction/record-events.ts';
import { hasPrimary, requiresFactor, usableFactors } from '../interaction/requirements.ts';
import { requireGoodPassword } from '../proofs/new-password.ts';
import { refuseSsoAccount, ssoTargetsOf } from '../proofs/single-sign-on.ts';
import { enrolmentForms, type FormBody } from '../routes/forms.ts';
import type { IdentifierType } from '../settings.ts';
import { applyChange } from './apply.ts';
import type { OpenAccount } from './open-account.ts';

type AccountForm = (account: OpenAccount, body: FormBody) => Promise<void>;

/**
 * Saves a username at once. Sends a code to an email address or phone number, which is saved once the code is entered.
 */
const identifier =
  (type: IdentifierType): AccountForm =>
  async (account, { identifier: typed = '' }) => {
    const { flow, view } = account;
    const read = await actions.readMissingIdentifier(flow, typed, type);
    if (type === 'username') return applyChange(account, 'Username', { username: read.value });
    await actions.sendCode(flow, read, view.t);
    await saveProgress(flow);
  };

/** Adds a second factor as an interaction does, and writes it at once. */
const enrolment =
  (form: keyof typeof enrolmentForms, change: 'AddTotp' | 'AddPasskey' | 'AddBackupCodes'): AccountForm =>
  async (account, body) => {
    await enrolmentForms[form](account.flow, body);
    await applyChange(account, change);
  };

/** The action of each form on the account page, by the last part of its path. */
export const accountForms: Record<string, AccountForm> = {
  name: (account, { name = '' }) =>
    applyChange(account, 'Name', { name: name.normalize('NFC').trim().slice(0, 128) || null }),
  username: identifier('username'),
  email: identifier('email'),
  phone: identifier('phone'),
  'enrol/totp': enrolment('enrol/totp', 'AddTotp'),
  'enrol/passkey': enrolment('enrol/passkey', 'AddPasskey'),
  'enrol/backup': enrolment('enrol/backup', 'AddBackupCodes'),

  async 'code/send'({ flow, view }) {
    const pending = actions.pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    await actions.sendCode(flow, pending.identifier, view.t);
    await saveProgress(flow);
  },

  async code(account, { code = '' }) {
    const { flow } = account;
    const pending = actions.pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    const verification = await actions.verifyCode(flow, pending.id, code);
    await actions.addVerifiedIdentifier(flow, verification.id);
    await applyChange(account, verification.type === 'EmailVerificationCode' ? 'Email' : 'Phone');
  },

  /** Ends every other session, so that anyone who knew the old password is signed out. */
  async password(account, { current = '', password = '' }) {
    const { flow, user } = account;
    await refuseSsoAccount(flow.store, user);
    const { limits, passwords } = flow.tools;
    const caller = { tenantId: flow.store.tenantId, isInteractive: true };
    const limitName = `account-page:${user.id}`;
    const isRight = await limits.attempt(flow.store, [['account', limitName]], async () =>
      user.passwordHash ? passwords.verify(user.passwordHash, current, caller) : true,
    );
    if (!isRight) throw new ServiceError('session.invalid_credentials');
    requireGoodPassword(password, flow.settings.passwordPolicy, [user.username ?? undefined, flow.settings.brandName]);
    const passwordHash = await passwords.hash(password, caller);
    await limits.clear(flow.store, 'account', limitName);
    await applyChange(account, 'Password', { passwordHash }, (store) =>
      endSessions(store, user.id, { now: flow.now, exceptUid: flow.sessionUid }),
    );
  },

  // The checks below run after `applyChange` has locked the user's row, so that the second of two concurrent requests
  // sees what the first one left.
  async remove(account, { id = '' }) {
    const { flow, user } = account;
    const isRequired = await requiresFactor(flow, user.id);
    await applyChange(account, 'RemoveFactor', {}, async (store) => {
      await store.remove('userFactors', { userId: user.id, id });
      // Factors of a kind that the settings no longer accept do not count as protection.
      const left = (await usableFactors({ ...flow, store }, user.id)).map(({ type }) => type);
      if (isRequired && !hasPrimary(left)) throw new ServiceError('factor.is_last');
    });
  },

  async unlink(account, { id = '' }) {
    const { flow, user } = account;
    await applyChange(account, 'Unlink', {}, async (store) => {
      await requireOtherSignInMethod({ ...flow, store }, await store.get('users', { id: user.id }), id);
      await store.remove('userIdentities', { userId: user.id, target: id });
    });
  },

  /** Links the identity that the page before has named. */
  async link(account, { id = '' }) {
    const { flow } = account;
    const verification = verificationOf(flow, id, true);
    if (verification.type !== 'Social') throw new ServiceError('session.verification_not_found');
    progressOf(flow).identities = [actions.identityIn(verification)];
    await applyChange(account, 'Link');
  },

  /** Leaves the user's data as it is, so it records an audit row and no event. */
  async 'sign-out-others'({ flow, user }) {
    await flow.store.transaction(async (store) => {
      await endSessions(store, user.id, { now: flow.now, exceptUid: flow.sessionUid });
      await recordUserAudit(store, 'Account.SignOutOthers', progressOf(flow).userId, flow);
    });
  },
};

/**
 * Refuses to unlink the last sign-in method, and to unlink an identity of single sign-on.
 *
 * @throws 422 `session.not_allowed`
 */
async function requireOtherSignInMethod({ store, settings }: Flow, user: UserRow, target: string): Promise<void> {
  if ((await ssoTargetsOf(store, user.id)).includes(target)) throw new ServiceError('session.not_allowed');
  const byIdentifier = settings.signIn.methods.some(
    ({ identifier, password, verificationCode }) =>
      user[columnOf[identifier]] !== null &&
      ((password && user.passwordHash !== null) || (verificationCode && identifier !== 'username')),
  );
  const linked = await store.from('userIdentities').where({ userId: user.id }).select('target');
  if (!byIdentifier && !linked.some((identity) => identity.target !== target)) {
    throw new ServiceError('session.not_allowed');
  }
}
