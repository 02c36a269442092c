import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import Type, { type Static, type TSchema } from 'typebox';
import * as actions from '../actions.ts';
import { type Flow, progressOf, verificationOf } from '../interaction/flow.ts';
import { normalize } from '../interaction/identifiers.ts';
import { formatBackupCode } from '../proofs/backup-codes.ts';
import { FACTORS, IdentifierType } from '../settings.ts';
import type { Texts } from '../texts/index.ts';

const InteractionEvent = Type.Enum(['SignIn', 'Register', 'ForgotPassword']);
const Text = Type.String({ minLength: 1, maxLength: 256 });
const Identifier = Type.Object({ type: IdentifierType, value: Text });
const Code = Type.String({ minLength: 1, maxLength: 32 });

const Start = Type.Object({ interactionEvent: InteractionEvent });
const PasswordProof = Type.Object({ identifier: Identifier, password: Text });
const CodeRequest = Type.Object({ identifier: Identifier });
const CodeProof = Type.Object({ verificationId: Text, code: Code });
const Verified = Type.Object({ verificationId: Text });
const ProfileMember = Type.Union([
  Type.Object({ type: Type.Literal('username'), value: Text }),
  Type.Object({ type: Type.Enum(['email', 'phone']), verificationId: Text }),
]);
const NewPassword = Type.Object({ password: Text });
const FactorBinding = Type.Object({ type: Type.Enum([...FACTORS]), verificationId: Text });
const FactorCode = Type.Object({ code: Code, verificationId: Type.Optional(Text) });
const Passkey = Type.Object({ payload: Type.Record(Type.String(), Type.Unknown()) });
const SocialProof = Type.Object({
  verificationId: Text,
  connectorData: Type.Record(Type.String(), Type.String({ maxLength: 4096 })),
});

export interface ExperienceCall {
  body?: TSchema;
  /** @returns the response body; undefined for 204 */
  run(flow: Flow, body: never, t: Texts, params: Record<string, string>): Promise<unknown>;
}

const withBody = <B extends TSchema>(
  schema: B,
  run: (flow: Flow, body: Static<B>, t: Texts, params: Record<string, string>) => Promise<unknown>,
): ExperienceCall => ({ body: schema, run: run as ExperienceCall['run'] });

const idOf = ({ id }: { id: string }) => ({ verificationId: id });

/** The account name that an authenticator app or a device shows. */
const accountNameOf = (flow: Flow): string => progressOf(flow).identifier?.value ?? flow.settings.brandName;

/** Identifies the account, or gathers a new one from the identity that an identity provider confirmed. */
async function identifyBy(flow: Flow, verificationId: string): Promise<void> {
  const verification = verificationOf(flow, verificationId, true);
  const isSocial = verification.type === 'Social' || verification.type === 'EnterpriseSso';
  if (isSocial && progressOf(flow).event === 'Register') return actions.registerSocial(flow, verification);
  return actions.identify(flow, verificationId);
}

const start = withBody(Start, async (flow, { interactionEvent }) => actions.start(flow, interactionEvent));

/** The Experience API below `/api/experience`. Each call runs an action of the pages. */
export const calls: Record<string, ExperienceCall> = {
  'PUT /': start,

  'PUT /interaction-event': start,

  'POST /verification/password': withBody(PasswordProof, async (flow, { identifier, password }) =>
    idOf(await actions.verifyPasswordOf(flow, normalize(identifier), password)),
  ),

  'POST /verification/verification-code': withBody(CodeRequest, async (flow, { identifier }, t) =>
    idOf(await actions.sendCode(flow, normalize(identifier), t)),
  ),

  'POST /verification/verification-code/verify': withBody(CodeProof, async (flow, { verificationId, code }) =>
    idOf(await actions.verifyCode(flow, verificationId, code)),
  ),

  'POST /verification/new-password-identity': withBody(PasswordProof, async (flow, { identifier, password }) => {
    await flow.tools.limits.take(flow.store, 'registration', flow.facts.ip);
    return idOf(await actions.newPasswordIdentity(flow, normalize(identifier), password));
  }),

  'POST /identification': withBody(Verified, (flow, { verificationId }) => identifyBy(flow, verificationId)),

  'POST /profile': withBody(ProfileMember, async (flow, member) => {
    if ('verificationId' in member) return actions.addVerifiedIdentifier(flow, member.verificationId);
    return actions.addUsername(flow, await actions.readMissingIdentifier(flow, member.value, 'username'));
  }),

  'PUT /profile/password': withBody(NewPassword, (flow, { password }) => actions.setPassword(flow, password)),

  'POST /profile/mfa': withBody(FactorBinding, async (flow, { type, verificationId }) =>
    actions.bindFactor(flow, type, verificationId),
  ),

  'POST /verification/totp/secret': {
    async run(flow) {
      const { verification, secret, uri } = await actions.newTotp(flow, accountNameOf(flow));
      return { ...idOf(verification), secret, secretUri: uri };
    },
  },

  'POST /verification/totp/verify': withBody(FactorCode, async (flow, { verificationId, code }) =>
    idOf(verificationId ? actions.verifyNewTotp(flow, verificationId, code) : await actions.verifyTotp(flow, code)),
  ),

  'POST /verification/backup-code/generate': {
    async run(flow) {
      const { verification, codes } = await actions.newBackupCodes(flow);
      return { ...idOf(verification), codes: codes.map(formatBackupCode) };
    },
  },

  'POST /verification/backup-code/verify': withBody(FactorCode, async (flow, { code }) =>
    idOf(await actions.verifyBackupCode(flow, code)),
  ),

  'POST /verification/web-authn/registration': {
    run: async (flow) => ({ registrationOptions: await actions.newPasskeyOptions(flow, accountNameOf(flow)) }),
  },

  'POST /verification/web-authn/registration/verify': withBody(Passkey, async (flow, { payload }) =>
    idOf(await actions.verifyNewPasskey(flow, payload as unknown as RegistrationResponseJSON)),
  ),

  'POST /verification/web-authn/authentication': {
    run: async (flow) => ({ authenticationOptions: await actions.passkeyOptions(flow) }),
  },

  'POST /verification/web-authn/authentication/verify': withBody(Passkey, async (flow, { payload }) =>
    idOf(await actions.verifyPasskey(flow, payload as unknown as AuthenticationResponseJSON)),
  ),

  'POST /verification/social/:target/authorization-uri': {
    async run(flow, _body, _t, { target = '' }) {
      const { verification, url } = await actions.startSocial(flow, target);
      return { ...idOf(verification), authorizationUri: url };
    },
  },

  'POST /verification/social/:target/verify': withBody(
    SocialProof,
    async (flow, { connectorData }, _t, { target = '' }) =>
      idOf(await actions.finishSocial(flow, target, `?${new URLSearchParams(connectorData)}`)),
  ),
};
