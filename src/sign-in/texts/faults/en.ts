import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY = "Your device didn't confirm the passkey. Try again, or use another method.";

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'This code is wrong or was already used. Enter the code that the app shows now.',
  BackupCode: 'This backup code is wrong or was already used. Enter another one.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'username',
  email: 'email address',
  phone: 'phone number',
};

export const enFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Enter a valid ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' or ',
    )}.`,
  'session.invalid_credentials': 'Incorrect username or password.',
  'user.invalid_phone': 'Enter the full phone number with its country code, such as +1 202 555 0123.',
  'user.suspended': 'This account is suspended. Contact support.',
  'user.username_already_in_use': 'This username is taken. Choose another one.',
  'user.email_already_in_use': 'This email address belongs to another account. Use another one.',
  'user.phone_already_in_use': 'This phone number belongs to another account. Use another one.',
  'user.identity_already_in_use': ({ provider = 'identity provider' }) =>
    `This ${provider} account is already linked to another user. Use another one.`,
  'verification_code.invalid': 'This code is wrong or has expired. Check it, or request a new one.',
  'verification_code.unavailable': "Codes can't be sent here. Use another method.",
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'You already have a second factor of this kind. You can replace it on your account page.',
  'factor.is_last': "A second factor is required, so you can't remove your last one. Add another one first.",
  'password.too_short': ({ minPasswordLength }) => `Use at least ${minPasswordLength} characters.`,
  'password.too_long': ({ maxPasswordLength }) => `Use at most ${maxPasswordLength} characters.`,
  'password.too_common': 'This password is too easy to guess. Choose another one.',
  'session.social_failed': ({ provider = 'The identity provider' }) =>
    `${provider} couldn't confirm your identity. Try again.`,
  'session.email_not_verified': ({ provider = 'Your identity provider' }) =>
    `${provider} hasn't verified your email address. Contact your organization's administrator.`,
  'session.sso_required': 'Your organization manages this account. Sign in with its identity provider.',
  'session.not_allowed': "This isn't available here.",
  'session.conflict': 'This form was sent twice. Continue from here.',
  'request.unavailable': 'The service is busy. Try again in a few seconds.',
};
