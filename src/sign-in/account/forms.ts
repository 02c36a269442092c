import { ServiceError } from '../../errors.ts';
import { endSessions } from '../../tokens/revocation/end-access.ts';
import {
  addVerifiedIdentifier,
  bindFactor,
  identityIn,
  newBackupCodes,
  newTotp,
  pendingCode,
  readMissingIdentifier,
  sendCode,
  verifyCode,
  verifyNewPasskey,
  verifyNewTotp,
} from '../actions.ts';
import { progressOf, verificationOf } from '../interaction/flow.ts';
import { ProgressStore } from '../interaction/progress.ts';
import { hasPrimary, requiresFactor, usableFactors } from '../interaction/requirements.ts';
import { requireGoodPassword } from '../proofs/new-password.ts';
import { hashPassword, verifyPassword } from '../proofs/passwords.ts';
import { refuseSsoAccount } from '../proofs/single-sign-on.ts';
import { passkeyResponse } from '../routes/factor-forms.ts';
import type { FormBody } from '../routes/forms.ts';
import type { IdentifierType } from '../settings.ts';
import type { Texts } from '../texts/index.ts';
import { applyChange, auditChange } from './apply.ts';
import { notifyOwner } from './notices.ts';
import type { OpenAccount } from './open-account.ts';
import { requireOtherSignInMethod } from './sign-in-methods.ts';

type AccountForm = (account: OpenAccount, body: FormBody, t: Texts) => Promise<void>;

const save = ({ flow }: OpenAccount): Promise<void> =>
  new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, flow.saved);

/**
 * Saves a username at once. Sends a code to an email address or phone number, which is saved once the code is entered.
 */
const identifier =
  (type: IdentifierType): AccountForm =>
  async (account, { identifier: typed = '' }, t) => {
    const { flow } = account;
    const read = await readMissingIdentifier(flow, typed, type);
    if (type === 'username') {
      await applyChange(flow, 'Username', { username: read.value });
      return notifyOwner(account, 'Username', t);
    }
    await sendCode(flow, read, t);
    await save(account);
  };

/** The action of each form on the account page, by the last part of its path. */
export const accountForms: Record<string, AccountForm> = {
  name: ({ flow }, { name = '' }) =>
    applyChange(flow, 'Name', { name: name.normalize('NFC').trim().slice(0, 128) || null }),
  username: identifier('username'),
  email: identifier('email'),
  phone: identifier('phone'),

  async 'code/send'(account, _body, t) {
    const pending = pendingCode(account.flow);
    if (!pending?.identifier) throw new ServiceError('verification_code.invalid');
    await sendCode(account.flow, pending.identifier, t);
    await save(account);
  },

  async code(account, { code = '' }, t) {
    const { flow } = account;
    const pending = pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    const verification = await verifyCode(flow, pending.id, code);
    await addVerifiedIdentifier(flow, verification.id);
    const what = verification.type === 'EmailVerificationCode' ? 'Email' : 'Phone';
    await applyChange(flow, what);
    await notifyOwner(account, what, t);
  },

  /** Ends every other session, so that anyone who knew the old password is signed out. */
  async password(account, { current = '', password = '' }, t) {
    const { flow, user } = account;
    await refuseSsoAccount(flow.store, user);
    const { limits } = flow.tools;
    const caller = { tenantId: flow.store.tenantId, isInteractive: true };
    const limitName = `account-page:${user.id}`;
    const isRight = await limits.attempt(flow.store, [['account', limitName]], async () =>
      user.passwordHash ? verifyPassword(user.passwordHash, current, caller) : true,
    );
    if (!isRight) throw new ServiceError('session.invalid_credentials');
    requireGoodPassword(password, flow.settings.passwordPolicy, [user.username ?? undefined, flow.settings.brandName]);
    const passwordHash = await hashPassword(password, caller);
    await limits.clear(flow.store, 'account', limitName);
    await applyChange(flow, 'Password', { passwordHash }, (store) =>
      endSessions(store, user.id, { now: flow.now, exceptUid: flow.sessionUid }),
    );
    await notifyOwner(account, 'Password', t);
  },

  async 'enrol/totp'(account, { code = '' }, t) {
    const { flow } = account;
    const { verification } = await newTotp(flow, '');
    verifyNewTotp(flow, verification.id, code);
    await bindFactor(flow, 'Totp', verification.id);
    await applyChange(flow, 'AddTotp');
    await notifyOwner(account, 'AddFactor', t);
  },

  async 'enrol/passkey'(account, { response }, t) {
    const { flow } = account;
    const verification = await verifyNewPasskey(flow, passkeyResponse(response));
    await bindFactor(flow, 'WebAuthn', verification.id);
    await applyChange(flow, 'AddPasskey');
    await notifyOwner(account, 'AddFactor', t);
  },

  async 'enrol/backup'(account, _body, t) {
    const { flow } = account;
    const { verification } = await newBackupCodes(flow);
    await bindFactor(flow, 'BackupCode', verification.id);
    await applyChange(flow, 'AddBackupCodes');
    await notifyOwner(account, 'AddFactor', t);
  },

  async remove(account, { id = '' }, t) {
    const { flow, user } = account;
    const isRequired = await requiresFactor(flow, user.id);
    // `applyChange` has locked the user's row, so the second of two concurrent removals sees what the first one left.
    await applyChange(flow, 'RemoveFactor', {}, async (store) => {
      await store.remove('userFactors', { userId: user.id, id });
      // Factors of a kind that the settings no longer accept do not count as protection.
      const left = (await usableFactors({ ...flow, store }, user.id)).map(({ type }) => type);
      if (isRequired && !hasPrimary(left)) throw new ServiceError('factor.is_last');
    });
    await notifyOwner(account, 'RemoveFactor', t);
  },

  /** Links the identity that the page before has named. */
  async link(account, { id = '' }, t) {
    const { flow } = account;
    const verification = verificationOf(flow, id, true);
    if (verification.type !== 'Social') throw new ServiceError('session.verification_not_found');
    progressOf(flow).identities = [identityIn(verification)];
    await applyChange(flow, 'Link');
    await notifyOwner(account, 'Link', t);
  },

  async unlink(account, { id = '' }, t) {
    const { flow, user } = account;
    // Checked inside, after `applyChange` has locked the user's row: the second of two concurrent requests sees what
    // the first one left.
    await applyChange(flow, 'Unlink', {}, async (store) => {
      await requireOtherSignInMethod({ ...flow, store }, await store.get('users', { id: user.id }), id);
      await store.remove('userIdentities', { userId: user.id, target: id });
    });
    await notifyOwner(account, 'Unlink', t);
  },

  async 'sign-out-others'({ flow, user }) {
    await flow.store.transaction(async (store) => {
      await endSessions(store, user.id, { now: flow.now, exceptUid: flow.sessionUid });
      await auditChange(store, flow, 'SignOutOthers');
    });
  },
};
