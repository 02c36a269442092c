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
import { formatBackupCode } from '../proofs/backup-codes.ts';
import type { Texts } from '../texts/index.ts';
import * as body from './schemas.ts';

export interface ExperienceCall {
  body?: TSchema;
  /** @returns the response body; undefined for 204 */
  run(flow: Flow, body: never, t: Texts, params: Record<string, string>): Promise<unknown>;
}

const withBody = <B extends TSchema>(
  schema: B,
  run: (flow: Flow, body: Static<B>, t: Texts, params: Record<string, string>) => Promise<unknown>,
): ExperienceCall => ({ body: schema, run: run as ExperienceCall['run'] });

const withoutBody = (run: (flow: Flow, params: Record<string, string>) => Promise<unknown>): ExperienceCall => ({
  run: (flow, _body, _t, params) => run(flow, params),
});

const idOf = ({ id }: { id: string }) => ({ verificationId: id });

/** Identifies the account, or gathers a new one from the proof of a social provider. */
async function identifyBy(flow: Flow, verificationId: string): Promise<void> {
  const verification = verificationOf(flow, verificationId, true);
  const isSocial = verification.type === 'Social' || verification.type === 'EnterpriseSso';
  if (isSocial && progressOf(flow).event === 'Register') return registerSocial(flow, verification);
  return identify(flow, verificationId);
}

/** The Experience API below `/api/experience`. Each call runs an action of the pages. */
export const calls: Record<string, ExperienceCall> = {
  'PUT /': withBody(body.Start, async (flow, { interactionEvent }) => start(flow, interactionEvent)),

  'PUT /interaction-event': withBody(body.Start, async (flow, { interactionEvent }) => start(flow, interactionEvent)),

  'POST /verification/password': withBody(body.PasswordProof, async (flow, { identifier, password }) =>
    idOf(await verifyPasswordOf(flow, normalize(identifier), password)),
  ),

  'POST /verification/verification-code': withBody(body.CodeRequest, async (flow, { identifier }, t) =>
    idOf(await sendCode(flow, normalize(identifier), t)),
  ),

  'POST /verification/verification-code/verify': withBody(body.CodeProof, async (flow, { verificationId, code }) =>
    idOf(await verifyCode(flow, verificationId, code)),
  ),

  'POST /verification/new-password-identity': withBody(body.PasswordProof, async (flow, { identifier, password }) => {
    await flow.tools.limits.take(flow.store, 'registration', flow.facts.ip);
    return idOf(await newPasswordIdentity(flow, normalize(identifier), password));
  }),

  'POST /identification': withBody(body.Verified, (flow, { verificationId }) => identifyBy(flow, verificationId)),

  'POST /profile': withBody(body.ProfileMember, async (flow, member) => {
    if ('verificationId' in member) return addVerifiedIdentifier(flow, member.verificationId);
    return addUsername(flow, await readMissingIdentifier(flow, member.value, 'username'));
  }),

  'PUT /profile/password': withBody(body.NewPassword, (flow, { password }) => setPassword(flow, password)),

  'POST /profile/mfa': withBody(body.FactorBinding, async (flow, { type, verificationId }) =>
    bindFactor(flow, type, verificationId),
  ),

  'POST /verification/totp/secret': withoutBody(async (flow) => {
    const { verification, secret, uri } = await newTotp(
      flow,
      progressOf(flow).identifier?.value ?? flow.settings.brandName,
    );
    return { ...idOf(verification), secret, secretUri: uri };
  }),

  'POST /verification/totp/verify': withBody(body.FactorCode, async (flow, { verificationId, code }) =>
    idOf(verificationId ? verifyNewTotp(flow, verificationId, code) : await verifyTotp(flow, code)),
  ),

  'POST /verification/backup-code/generate': withoutBody(async (flow) => {
    const { verification, codes } = await newBackupCodes(flow);
    return { ...idOf(verification), codes: codes.map(formatBackupCode) };
  }),

  'POST /verification/backup-code/verify': withBody(body.FactorCode, async (flow, { code }) =>
    idOf(await verifyBackupCode(flow, code)),
  ),

  'POST /verification/web-authn/registration': withoutBody(async (flow) => ({
    registrationOptions: await newPasskeyOptions(flow, progressOf(flow).identifier?.value ?? flow.settings.brandName),
  })),

  'POST /verification/web-authn/registration/verify': withBody(body.Passkey, async (flow, { payload }) =>
    idOf(await verifyNewPasskey(flow, payload as unknown as RegistrationResponseJSON)),
  ),

  'POST /verification/web-authn/authentication': withoutBody(async (flow) => ({
    authenticationOptions: await passkeyOptions(flow),
  })),

  'POST /verification/web-authn/authentication/verify': withBody(body.Passkey, async (flow, { payload }) =>
    idOf(await verifyPasskey(flow, payload as unknown as AuthenticationResponseJSON)),
  ),

  'POST /verification/social/:target/authorization-uri': withoutBody(async (flow, { target = '' }) => {
    const { verification, url } = await startSocial(flow, target);
    return { ...idOf(verification), authorizationUri: url };
  }),

  'POST /verification/social/:target/verify': withBody(
    body.SocialProof,
    async (flow, { connectorData }, _t, { target = '' }) =>
      idOf(await finishSocial(flow, target, `?${new URLSearchParams(connectorData)}`)),
  ),
};
