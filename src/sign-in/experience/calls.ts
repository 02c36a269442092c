import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Static, TSchema } from 'typebox';
import {
  addUsername,
  addVerifiedIdentifier,
  bindFactor,
  finishSocial,
  identify,
  newBackupCodes,
  newPasskeyOptions,
  newPasswordIdentity,
  newTotp,
  passkeyOptions,
  readMissingIdentifier,
  registerSocial,
  sendCode,
  setPassword,
  start,
  startSocial,
  verifyBackupCode,
  verifyCode,
  verifyNewPasskey,
  verifyNewTotp,
  verifyPasskey,
  verifyPasswordOf,
  verifyTotp,
} from '../actions.ts';
import { type Flow, progressOf, verificationOf } from '../interaction/flow.ts';
import { normalize } from '../interaction/identifiers.ts';
import { readable } from '../proofs/backup-codes.ts';
import type { Texts } from '../texts/index.ts';
import * as body from './schemas.ts';

export interface Call {
  body?: TSchema;
  /** @returns the answer's body; undefined: 204 */
  run(flow: Flow, body: never, t: Texts, params: Record<string, string>): Promise<unknown>;
}

const call = <B extends TSchema>(
  schema: B,
  run: (flow: Flow, body: Static<B>, t: Texts, params: Record<string, string>) => Promise<unknown>,
): Call => ({ body: schema, run: run as Call['run'] });

const only = (run: (flow: Flow, params: Record<string, string>) => Promise<unknown>): Call => ({
  run: (flow, _body, _t, params) => run(flow, params),
});

const idOf = ({ id }: { id: string }) => ({ verificationId: id });

/** Verified by a social provider: linked, or a new account's. */
async function identifyBy(flow: Flow, verificationId: string): Promise<void> {
  const verification = verificationOf(flow, verificationId, true);
  const isSocial = verification.type === 'Social' || verification.type === 'EnterpriseSso';
  if (isSocial && progressOf(flow).event === 'Register') return registerSocial(flow, verification);
  return identify(flow, verificationId);
}

/** The core of the Experience API, below `/api/experience`. Each call is an action of the pages. */
export const calls: Record<string, Call> = {
  'PUT /': call(body.Start, async (flow, { interactionEvent }) => start(flow, interactionEvent)),

  'PUT /interaction-event': call(body.Start, async (flow, { interactionEvent }) => start(flow, interactionEvent)),

  'POST /verification/password': call(body.PasswordProof, async (flow, { identifier, password }) =>
    idOf(await verifyPasswordOf(flow, normalize(identifier), password)),
  ),

  'POST /verification/verification-code': call(body.CodeRequest, async (flow, { identifier }, t) =>
    idOf(await sendCode(flow, normalize(identifier), t)),
  ),

  'POST /verification/verification-code/verify': call(body.CodeProof, async (flow, { verificationId, code }) =>
    idOf(await verifyCode(flow, verificationId, code)),
  ),

  'POST /verification/new-password-identity': call(body.PasswordProof, async (flow, { identifier, password }) => {
    await flow.tools.limits.take(flow.store, 'registration', flow.facts.ip);
    return idOf(await newPasswordIdentity(flow, normalize(identifier), password));
  }),

  'POST /identification': call(body.Verified, (flow, { verificationId }) => identifyBy(flow, verificationId)),

  'POST /profile': call(body.ProfileMember, async (flow, member) => {
    if ('verificationId' in member) return addVerifiedIdentifier(flow, member.verificationId);
    return addUsername(flow, await readMissingIdentifier(flow, member.value, 'username'));
  }),

  'PUT /profile/password': call(body.NewPassword, (flow, { password }) => setPassword(flow, password)),

  'POST /profile/mfa': call(body.FactorBinding, async (flow, { type, verificationId }) =>
    bindFactor(flow, type, verificationId),
  ),

  'POST /verification/totp/secret': only(async (flow) => {
    const { verification, secret, uri } = await newTotp(
      flow,
      progressOf(flow).identifier?.value ?? flow.settings.brandName,
    );
    return { ...idOf(verification), secret, secretUri: uri };
  }),

  'POST /verification/totp/verify': call(body.FactorCode, async (flow, { verificationId, code }) =>
    idOf(verificationId ? verifyNewTotp(flow, verificationId, code) : await verifyTotp(flow, code)),
  ),

  'POST /verification/backup-code/generate': only(async (flow) => {
    const { verification, codes } = await newBackupCodes(flow);
    return { ...idOf(verification), codes: codes.map(readable) };
  }),

  'POST /verification/backup-code/verify': call(body.FactorCode, async (flow, { code }) =>
    idOf(await verifyBackupCode(flow, code)),
  ),

  'POST /verification/web-authn/registration': only(async (flow) => ({
    registrationOptions: await newPasskeyOptions(flow, progressOf(flow).identifier?.value ?? flow.settings.brandName),
  })),

  'POST /verification/web-authn/registration/verify': call(body.Passkey, async (flow, { payload }) =>
    idOf(await verifyNewPasskey(flow, payload as unknown as RegistrationResponseJSON)),
  ),

  'POST /verification/web-authn/authentication': only(async (flow) => ({
    authenticationOptions: await passkeyOptions(flow),
  })),

  'POST /verification/web-authn/authentication/verify': call(body.Passkey, async (flow, { payload }) =>
    idOf(await verifyPasskey(flow, payload as unknown as AuthenticationResponseJSON)),
  ),

  'POST /verification/social/:target/authorization-uri': only(async (flow, { target = '' }) => {
    const { verification, url } = await startSocial(flow, target);
    return { ...idOf(verification), authorizationUri: url };
  }),

  'POST /verification/social/:target/verify': call(
    body.SocialProof,
    async (flow, { connectorData }, _t, { target = '' }) =>
      idOf(await finishSocial(flow, target, `?${new URLSearchParams(connectorData)}`)),
  ),
};
