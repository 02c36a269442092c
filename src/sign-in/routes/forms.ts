import { ServiceError } from '../../errors.ts';
import {
  addUsername,
  addVerifiedIdentifier,
  identify,
  missingOf,
  newPasswordIdentity,
  pendingCode,
  readMissingIdentifier,
  requireSignUp,
  sendCode,
  setIdentifier,
  setPassword,
  start,
  verifyCode,
  verifyPasswordOf,
} from '../actions.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { requireFree } from '../interaction/identifiers.ts';
import type { Identifier, Verification } from '../interaction/progress.ts';
import { connectorOfDomain } from '../proofs/connectors.ts';
import type { Texts } from '../texts/index.ts';

export type FormBody = Record<string, string>;
/** A returned string is the path to continue at, below the interaction's path. By default the next step is shown. */
export type FormAction = (flow: Flow, body: FormBody, t: Texts) => Promise<unknown>;

/** The action of each form of the pages, by the last part of its path. */
export const forms: Record<string, FormAction> = {
  async identifier(flow, { identifier: typed = '' }, t) {
    const identifier = setIdentifier(flow, typed);
    const { event } = progressOf(flow);
    const sso = identifier.type === 'email' ? await connectorOfDomain(flow.store, identifier.value) : undefined;
    if (sso) {
      if (event === 'ForgotPassword') {
        // The account signs in at its provider and has no password here to reset.
        start(flow, 'SignIn');
        progressOf(flow).identifier = identifier;
      }
      return `/social/${sso.target}`;
    }
    if (event === 'Register') {
      requireSignUp(flow, identifier.type);
      await flow.tools.limits.take(flow.store, 'registration', flow.facts.ip);
      if (identifier.type === 'username') return requireFree(flow.store, identifier);
    }
    const method = flow.settings.signIn.methods.find((method) => method.identifier === identifier.type);
    const isSent = pendingCode(flow) !== undefined;
    if (!isSent && (event !== 'SignIn' || method?.password !== true)) await sendCode(flow, identifier, t);
  },

  async password(flow, { password = '' }) {
    const verification = await verifyPasswordOf(flow, requireIdentifier(flow), password);
    await identify(flow, verification.id);
  },

  async 'code/send'(flow, _body, t) {
    await sendCode(flow, pendingCode(flow)?.identifier ?? requireIdentifier(flow), t);
  },

  async code(flow, { code = '' }) {
    const pending = pendingCode(flow);
    if (!pending) throw new ServiceError('verification_code.invalid');
    const verification = await verifyCode(flow, pending.id, code);
    if ((await missingOf(flow))?.what === 'profile') await addVerifiedIdentifier(flow, verification.id);
    else await identifyProven(flow, verification);
  },

  async 'new-password'(flow, { password = '' }) {
    const { event, identifier, account } = progressOf(flow);
    const isFirstStep = event === 'Register' && identifier?.type === 'username' && account.username === undefined;
    if (!isFirstStep) return setPassword(flow, password);
    const verification = await newPasswordIdentity(flow, identifier, password);
    await identify(flow, verification.id);
  },

  async profile(flow, { identifier: typed = '' }, t) {
    const missing = await missingOf(flow);
    if (missing?.what !== 'profile') return;
    const identifier = await readMissingIdentifier(flow, typed, missing.identifiers[0] as Identifier['type']);
    if (identifier.type === 'username') await addUsername(flow, identifier);
    else await sendCode(flow, identifier, t);
  },

  async register(flow) {
    start(flow, 'Register');
  },

  async 'sign-in'(flow) {
    start(flow, 'SignIn');
  },

  async forgot(flow) {
    const { identifier } = progressOf(flow);
    start(flow, 'ForgotPassword');
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
    await identify(flow, verification.id);
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined;
    if (event === 'SignIn' && code === 'session.unknown_account') start(flow, 'Register', verification);
    else if (event === 'Register' && code?.endsWith('_already_in_use')) start(flow, 'SignIn', verification);
    else throw error;
    await identifyWhereAllowed(flow, verification);
  }
}

/** Identifies the account if codes may. Otherwise the page asks for the password next. */
async function identifyWhereAllowed(flow: Flow, verification: Verification): Promise<void> {
  try {
    await identify(flow, verification.id);
  } catch (error) {
    const isPasswordOnly = error instanceof ServiceError && error.code === 'session.not_allowed';
    if (!isPasswordOnly || progressOf(flow).event === 'Register') throw error;
  }
}
