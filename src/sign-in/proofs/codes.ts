import { randomInt } from 'node:crypto';
import { isSameSecret, newId } from '../../base/ids.ts';
import { MINUTE_MS } from '../../base/times.ts';
import { ServiceError } from '../../errors.ts';
import { canSendCode, channelOf, methodOf, requireAllowed } from '../interaction/allowed-identifiers.ts';
import { credentialsOf } from '../interaction/credentials.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, giveProof, progressOf, verificationOf } from '../interaction/flow.ts';
import { findUser } from '../interaction/identifiers.ts';
import type { Identifier, SentCode, Verification } from '../interaction/verification.ts';
import type { CodeFacts, Texts } from '../texts/index.ts';
import { refuseSsoAddress } from './single-sign-on.ts';

const MAX_ATTEMPTS = 5;

/** Digits and lifetime of every code. */
export const CODE: CodeFacts = { digits: 6, minutes: 10 };

export const codePurposeOf = (tenantId: string, id: string): string => `verification-code:${tenantId}:${id}`;

const codeTypeOf = ({ type }: Identifier): 'EmailVerificationCode' | 'PhoneVerificationCode' =>
  type === 'email' ? 'EmailVerificationCode' : 'PhoneVerificationCode';

/**
 * Returns true if the code is sent. A code is created and verified in either case, so the response does not reveal
 * whether there is an account.
 */
async function isDelivered(flow: Flow, identifier: Identifier): Promise<boolean> {
  const { event, userId } = progressOf(flow);
  if (event === 'Register' || userId !== undefined) return true;
  const { signInMode, signUp } = flow.settings;
  const canRegister = signInMode === 'SignInAndRegister' && signUp.identifiers.includes(identifier.type);
  if (event === 'SignIn' && canRegister) return true;
  const isUsable = event === 'ForgotPassword' || methodOf(flow, identifier)?.verificationCode === true;
  return isUsable && (await findUser(flow.store, identifier)) !== undefined;
}

/**
 * Creates a verification code for an email address or phone number and sends it. A code works once and allows five
 * attempts.
 *
 * @throws 422 `verification_code.unavailable` without a sender, `session.sso_required`; 429 `request.rate_limited`; 503
 * `request.unavailable` while too many messages are being sent
 */
export async function sendCode(flow: Flow, identifier: Identifier, t: Texts): Promise<Verification> {
  const { store, tools, facts, now, settings } = flow;
  // Once the account is identified, another address is added to the profile and does not identify it.
  const isFirst = progressOf(flow).userId === undefined;
  if (isFirst) await refuseSsoAddress(store, identifier);
  await requireStep(flow, isFirst ? 'code' : 'profile');
  if (!flow.isAccountPage) requireAllowed(flow, identifier.type);
  if (!canSendCode(flow, identifier.type)) throw new ServiceError('verification_code.unavailable');
  const channel = channelOf(identifier.type);
  if (tools.messenger.isFull) throw new ServiceError('request.unavailable', { headers: { 'Retry-After': '15' } });
  await tools.limits.take(store, 'codePause', identifier.value);
  await tools.limits.take(store, 'codeDestination', identifier.value);
  await tools.limits.take(store, 'codeAddress', facts.ip);

  const codeId = newId();
  const code = String(randomInt(10 ** CODE.digits)).padStart(CODE.digits, '0');
  const codeEncrypted = tools.secrets.seal(code, codePurposeOf(store.tenantId, codeId));
  await store.add('verificationCodes', [
    { id: codeId, codeEncrypted, attempts: 0, expiresAt: now + CODE.minutes * MINUTE_MS },
  ]);
  if (await isDelivered(flow, identifier)) {
    const { mail } = t;
    const text = (channel === 'email' ? mail.text : mail.sms)(code, settings.brandName, CODE);
    const to = channel === 'email' ? identifier.value : `+${identifier.value}`;
    tools.messenger.send({ channel, to, subject: mail.subject(code, settings.brandName), text });
  }
  dropPendingCode(flow);
  return addVerification(flow, {
    type: codeTypeOf(identifier),
    isVerified: false,
    identifier,
    details: { codeId, sentAt: now },
  });
}

/** Only the last requested code is valid. */
function dropPendingCode(flow: Flow): void {
  const progress = progressOf(flow);
  progress.verifications = progress.verifications.filter((one) => !isSentCode(one));
}

const isSentCode = (one: Verification): one is Verification<SentCode> =>
  (one.type === 'EmailVerificationCode' || one.type === 'PhoneVerificationCode') && !one.isVerified;

export const pendingCode = (flow: Flow): Verification<SentCode> | undefined =>
  progressOf(flow).verifications.findLast(isSentCode);

/** @throws 422 `verification_code.invalid` */
export async function verifyCode(flow: Flow, verificationId: string, given: string): Promise<Verification> {
  const verification = verificationOf(flow, verificationId, false);
  const isRight =
    isSentCode(verification) && (await spendCode(flow, verification.details.codeId, given.replace(/\D/g, '')));
  if (!isRight) throw new ServiceError('verification_code.invalid');
  const { type, identifier } = verification;
  const owner = await findUser(flow.store, identifier);
  const credentials = owner && (await credentialsOf(flow.store, owner));
  return giveProof(flow, verification, { type, isVerified: true, identifier, ...(credentials && { credentials }) });
}

/** Returns true once, for the right code. Every attempt counts, concurrent ones too. */
async function spendCode({ store, tools, now }: Flow, id: string, given: string): Promise<boolean> {
  const row = await store.find('verificationCodes', { id });
  if (!row || row.spentAt !== null || row.expiresAt <= now || row.attempts >= MAX_ATTEMPTS) return false;
  const counted = await store.change(
    'verificationCodes',
    { id, attempts: row.attempts },
    { attempts: row.attempts + 1 },
  );
  if (counted !== 1) return false;
  const isRight = isSameSecret(given, tools.secrets.open(row.codeEncrypted, codePurposeOf(store.tenantId, id)));
  return isRight && (await store.change('verificationCodes', { id, spentAt: null }, { spentAt: now })) === 1;
}
