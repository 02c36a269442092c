import Type from 'typebox';

/** Bodies of the Experience API. */

export const InteractionEvent = Type.Enum(['SignIn', 'Register', 'ForgotPassword']);
const Text = Type.String({ minLength: 1, maxLength: 256 });
const Identifier = Type.Object({ type: Type.Enum(['username', 'email', 'phone']), value: Text });
const Code = Type.String({ minLength: 1, maxLength: 32 });

export const Start = Type.Object({ interactionEvent: InteractionEvent });
export const PasswordProof = Type.Object({ identifier: Identifier, password: Text });
export const CodeRequest = Type.Object({ identifier: Identifier });
export const CodeProof = Type.Object({ verificationId: Text, code: Code });
export const Verified = Type.Object({ verificationId: Text });
export const ProfileMember = Type.Union([
  Type.Object({ type: Type.Literal('username'), value: Text }),
  Type.Object({ type: Type.Enum(['email', 'phone']), verificationId: Text }),
]);
export const NewPassword = Type.Object({ password: Text });
export const FactorBinding = Type.Object({ type: Type.Enum(['Totp', 'WebAuthn', 'BackupCode']), verificationId: Text });
export const FactorCode = Type.Object({ code: Code, verificationId: Type.Optional(Text) });
export const Passkey = Type.Object({ payload: Type.Record(Type.String(), Type.Unknown()) });
export const SocialProof = Type.Object({
  verificationId: Text,
  connectorData: Type.Record(Type.String(), Type.String({ maxLength: 4096 })),
});
