import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ServiceError } from '../../errors.ts';
import * as actions from '../actions.ts';
import { methodOf } from '../interaction/allowed-identifiers.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { requireFree } from '../interaction/identifiers.ts';
import type { Identifier, Verification } from '../interaction/verification.ts';
import { connectorOfDomain } from '../proofs/connectors.ts';
import type { Texts } from '../texts/index.ts';

export type FormBody = Record<string, string>;
/** A returned string is the path to continue at, below the interaction's path. By default the next step is shown. */
export type FormAction = (flow: Flow, body: FormBody, t: Texts) => Promise<unknown>;

/** The forms that set up a second factor, on the pages and on the account page. */
export const enrolmentForms = {
  async 'enrol/totp'(flow, { code = '' }) {
    const { verification } = await actions.newTotp(flow, '');
    actions.verifyNewTotp(flow, verification.id, code);
    await actions.bindFactor(flow, 'Totp', verification.id);
  },

  async 'enrol/passkey'(flow, { response }) {
    const verification = await actions.verifyNewPasskey(flow, passkeyResponse<RegistrationResponseJSON>(response));
    await actions.bindFactor(flow, 'WebAuthn', verification.id);
  },

  async 'enrol/backup'(flow) {
    const { verification } = await actions.newBackupCodes(flow);
    await actions.bindFactor(flow, 'BackupCode', verification.id);
  },
} satisfies Record<string, FormAction>;

/** The action of each form of the pages, by the last part of its path. */
export const forms: Record<string, FormAction> = {
  ...enrolmentForms,

  async 'mfa/totp'(flow, { code = '' }) {
    await actions.verifyTotp(flow, code);
  },

  async 'mfa/backup'(flow, { code = '' }) {
    await actions.verifyBackupCode(flow, code);
  },

  async 'mfa/passkey'(flow, { response }) {
    await actions.verifyPasskey(flow, passkeyResponse<AuthenticationResponseJSON>(response));
  },

  async identifier(flow, { identifier: typed = '' }, t) {
    const identifier = actions.setIdentifier(flow, typed);
    const { event } = progressOf(flow);
    const sso = identifier.type === 'email' ? await connectorOfDomain(flow.store, identifier.value) : undefined;
    if (sso) {
      if (event === 'ForgotPassword') {
        // The account signs in at its provider and has no password here to reset.
        actions.start(flow, 'SignIn');
        progressOf(flow).identifier = identifier;
      }
      return `/social/${sso.target}`;
    }
    if (event === 'Register') {
      actions.requireSignUp(flow, identifier.type);
      await flow.tools.limits.take(flow.store, 'registration', flow.facts.ip);
      if (identifier.type === 'username') return requireFree(flow.store, identifier);
    }
    const isSent = actions.pendingCode(flow) !== undefined;
    if (!isSent && (event !== 'SignIn' || methodOf(flow, identifier)?.password !== true))
      await actions.sendCode(flow, identifier, t);
  },

  async password(flow, { password = '' }) {
    const verification = await actions.verifyPasswordOf(flow, requireIdentifier(flow), password);
    await actions.identify(flow, verification.id);
  },

  async 'code/send'(flow, _body, t) {
    await actions.sendCode(flow, actions.pendingCode(flow)?.identifier ?? requireIdentifier(flow), t);
  },

  async code(flow, { code = '' }) {
    const pending = actions.pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    const verification = await actions.verifyCode(flow, pending.id, code);
    if ((await actions.missingOf(flow))?.what === 'profile') await actions.addVerifiedIdentifier(flow, verification.id);
    else await identifyProven(flow, verification);
  },

  async 'new-password'(flow, { password = '' }) {
    const { event, identifier, account } = progressOf(flow);
    const isFirstStep = event === 'Register' && identifier?.type === 'username' && account.username === undefined;
    if (!isFirstStep) return actions.setPassword(flow, password);
    const verification = await actions.newPasswordIdentity(flow, identifier, password);
    await actions.identify(flow, verification.id);
  },

  async profile(flow, { identifier: typed = '' }, t) {
    const missing = await actions.missingOf(flow);
    if (missing?.what !== 'profile') return;
    const identifier = await actions.readMissingIdentifier(flow, typed, missing.identifiers[0] as Identifier['type']);
    if (identifier.type === 'username') await actions.addUsername(flow, identifier);
    else await actions.sendCode(flow, identifier, t);
  },

  async register(flow) {
    actions.start(flow, 'Register');
  },

  async 'sign-in'(flow) {
    actions.start(flow, 'SignIn');
  },

  async forgot(flow) {
    const { identifier } = progressOf(flow);
    actions.start(flow, 'ForgotPassword');
    // Only prefilled: the code is sent when the user submits the form.
    if (identifier && identifier.type !== 'username') progressOf(flow).suggested = identifier.value;
  },
};

function requireIdentifier(flow: Flow): Identifier {
  const { identifier } = progressOf(flow);
  if (!identifier) throw new ServiceError('session.identifier_required');
  return identifier;
}

/**
 * Identifies the account of a verified address. An address with an account continues as a sign-in, one without as a
 * registration; neither is revealed before the address is verified.
 */
async function identifyProven(flow: Flow, verification: Verification): Promise<void> {
  const { event } = progressOf(flow);
  try {
    await actions.identify(flow, verification.id);
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined;
    if (event === 'SignIn' && code === 'session.unknown_account') actions.start(flow, 'Register', verification);
    else if (event === 'Register' && code?.endsWith('_already_in_use')) actions.start(flow, 'SignIn', verification);
    else throw error;
    await identifyWhereAllowed(flow, verification);
  }
}

/** Identifies the account if the settings accept a code for that. Otherwise the page asks for the password next. */
async function identifyWhereAllowed(flow: Flow, verification: Verification): Promise<void> {
  try {
    await actions.identify(flow, verification.id);
  } catch (error) {
    const isPasswordOnly = error instanceof ServiceError && error.code === 'session.not_allowed';
    if (!isPasswordOnly || progressOf(flow).event === 'Register') throw error;
  }
}

/** Parses the response that the page's script put into the form. @throws 422 `factor.invalid_code` */
function passkeyResponse<T>(text = ''): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ServiceError('factor.invalid_code');
  }
}
