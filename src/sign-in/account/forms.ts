import { ServiceError } from '../../errors.ts';
import {
  addVerifiedIdentifier,
  bindFactor,
  newBackupCodes,
  newTotp,
  pendingCode,
  readMissingIdentifier,
  sendCode,
  verifyCode,
  verifyNewPasskey,
  verifyNewTotp,
} from '../actions.ts';
import { endSessions } from '../complete.ts';
import { passkeyAnswer } from '../factor-forms.ts';
import type { Body } from '../forms.ts';
import { requireGoodPassword } from '../new-password.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';
import { ProgressStore } from '../progress.ts';
import type { IdentifierType } from '../settings.ts';
import type { Texts } from '../texts/index.ts';
import { applyChange, auditChange } from './apply.ts';
import type { OpenAccount } from './open-account.ts';
import { requireOtherWay } from './ways-in.ts';

type AccountForm = (account: OpenAccount, body: Body, t: Texts) => Promise<void>;

const save = ({ flow }: OpenAccount): Promise<void> =>
  new ProgressStore(flow.store, flow.tools.secrets).save(flow.uid, flow.saved);

/** A username at once; an e-mail address or phone number after the code that was sent to it. */
const identifier =
  (type: IdentifierType): AccountForm =>
  async (account, { identifier: typed = '' }, t) => {
    const { flow } = account;
    const read = await readMissingIdentifier(flow, typed, type);
    if (type === 'username') return applyChange(flow, 'Username', { username: read.value });
    await sendCode(flow, read, t);
    await save(account);
  };

/** What each form of the account page does, by the last part of its path. */
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

  async code({ flow }, { code = '' }) {
    const pending = pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    const verification = await verifyCode(flow, pending.id, code);
    await addVerifiedIdentifier(flow, verification.id);
    await applyChange(flow, verification.type === 'EmailVerificationCode' ? 'Email' : 'Phone');
  },

  /** Every other session ends: whoever knew the old password is out. */
  async password({ flow, user }, { current = '', password = '' }) {
    const { limits } = flow.tools;
    await limits.take(flow.store, 'account', `account-page:${user.id}`);
    if (user.passwordHash && !(await verifyPassword(user.passwordHash, current))) {
      throw new ServiceError('session.invalid_credentials');
    }
    requireGoodPassword(password, flow.settings.passwordPolicy, [user.username ?? undefined, flow.settings.brandName]);
    const passwordHash = await hashPassword(password);
    await limits.clear(flow.store, 'account', `account-page:${user.id}`);
    await applyChange(flow, 'Password', { passwordHash }, (store) =>
      endSessions(store, user.id, flow.sessionUid, flow.now),
    );
  },

  async 'enrol/totp'({ flow }, { code = '' }) {
    const { verification } = newTotp(flow, '');
    verifyNewTotp(flow, verification.id, code);
    bindFactor(flow, 'Totp', verification.id);
    await applyChange(flow, 'AddTotp');
  },

  async 'enrol/passkey'({ flow }, { response }) {
    const verification = await verifyNewPasskey(flow, passkeyAnswer(response));
    bindFactor(flow, 'WebAuthn', verification.id);
    await applyChange(flow, 'AddPasskey');
  },

  async 'enrol/backup'({ flow }) {
    bindFactor(flow, 'BackupCode', newBackupCodes(flow).verification.id);
    await applyChange(flow, 'AddBackupCodes');
  },

  remove: ({ flow, user }, { id = '' }) =>
    applyChange(flow, 'RemoveFactor', {}, (store) => store.remove('userFactors', { userId: user.id, id })),

  async unlink({ flow, user }, { id = '' }) {
    await requireOtherWay(flow, user, id);
    await applyChange(flow, 'Unlink', {}, (store) => store.remove('userIdentities', { userId: user.id, target: id }));
  },

  async 'sign-out-others'({ flow, user }) {
    await flow.store.transaction(async (store) => {
      await endSessions(store, user.id, flow.sessionUid, flow.now);
      await auditChange(store, flow, 'SignOutOthers');
    });
  },
};
