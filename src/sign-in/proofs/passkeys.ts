import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { UserFactorRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Tenant } from '../../tenants.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, identifiedUser, progressOf } from '../interaction/flow.ts';
import type { Verification } from '../interaction/progress.ts';
import { factorsOf, openFactor } from './factors.ts';

/** The stored data of a passkey, apart from its public key. */
interface PasskeyDetails extends Record<string, unknown> {
  credentialId: string;
  counter: number;
  transports?: string[];
}

/** WebAuthn binds a passkey to the host, and a response to the origin. */
const relyingPartyOf = ({ endpoint }: Tenant) => {
  const { hostname, origin } = new URL(endpoint);
  return { rpID: hostname, origin };
};

const detailsOf = (factor: UserFactorRow): PasskeyDetails => factor.details as PasskeyDetails;

const passkeysOf = async (flow: Flow, userId: string): Promise<UserFactorRow[]> =>
  (await factorsOf(flow.store, userId)).filter(({ type }) => type === 'WebAuthn');

const descriptorOf = (factor: UserFactorRow) => {
  const { credentialId, transports } = detailsOf(factor);
  return { id: credentialId, ...(transports && { transports: transports as never }) };
};

/** Returns the ceremony that was started and not finished. `ceremony` distinguishes creating from using a passkey. */
const pendingPasskey = (flow: Flow, ceremony: 'create' | 'get'): Verification | undefined =>
  progressOf(flow).verifications.findLast(
    ({ type, isVerified, details }) => type === 'WebAuthn' && !isVerified && details?.ceremony === ceremony,
  );

const optionsOf = <T>({ details = {} }: Verification): T => details.options as T;

/** Returns the challenge of a ceremony, the same one until it is answered. */
async function challengeFor<T extends { challenge: string }>(
  flow: Flow,
  ceremony: 'create' | 'get',
  make: () => Promise<T>,
): Promise<T> {
  const pending = pendingPasskey(flow, ceremony);
  if (pending) return optionsOf<T>(pending);
  const options = await make();
  addVerification(flow, { type: 'WebAuthn', isVerified: false, details: { ceremony, options } });
  return options;
}

/** @param accountName shown by the device */
export async function newPasskeyOptions(
  flow: Flow,
  accountName: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  await requireStep(flow, 'newFactor');
  const { userId } = progressOf(flow);
  const known = userId ? await passkeysOf(flow, userId) : [];
  return challengeFor(flow, 'create', () =>
    generateRegistrationOptions({
      rpName: flow.settings.brandName,
      rpID: relyingPartyOf(flow.tenant).rpID,
      userName: accountName,
      userDisplayName: accountName,
      ...(userId && { userID: new TextEncoder().encode(userId) }),
      attestationType: 'none',
      excludeCredentials: known.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    }),
  );
}

/** @throws 422 `factor.invalid_code` if the response does not match the challenge and origin */
export async function verifyNewPasskey(flow: Flow, response: RegistrationResponseJSON): Promise<Verification> {
  const pending = pendingPasskey(flow, 'create');
  if (!pending) throw new ServiceError('session.verification_not_found');
  const { challenge } = optionsOf<PublicKeyCredentialCreationOptionsJSON>(pending);
  const { rpID, origin } = relyingPartyOf(flow.tenant);
  const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID };
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    ...expected,
    requireUserVerification: false,
  }).catch(() => ({ verified: false as const, registrationInfo: undefined }));
  if (!verified || !registrationInfo) throw new ServiceError('factor.invalid_code');
  const { id, publicKey, counter, transports } = registrationInfo.credential;
  pending.isVerified = true;
  pending.details = {
    secret: Buffer.from(publicKey).toString('base64url'),
    passkey: { credentialId: id, counter, ...(transports && { transports }) } satisfies PasskeyDetails,
  };
  return pending;
}

export async function passkeyOptions(flow: Flow): Promise<PublicKeyCredentialRequestOptionsJSON> {
  await requireStep(flow, 'secondFactor');
  const user = await identifiedUser(flow);
  const known = await passkeysOf(flow, user.id);
  return challengeFor(flow, 'get', () =>
    generateAuthenticationOptions({
      rpID: relyingPartyOf(flow.tenant).rpID,
      allowCredentials: known.map(descriptorOf),
      userVerification: 'preferred',
    }),
  );
}

/** @throws 422 `factor.invalid_code` */
export async function verifyPasskey(flow: Flow, response: AuthenticationResponseJSON): Promise<Verification> {
  const { store, tools, now, tenant } = flow;
  const user = await identifiedUser(flow);
  const pending = pendingPasskey(flow, 'get');
  const factor = (await passkeysOf(flow, user.id)).find((one) => detailsOf(one).credentialId === response.id);
  if (!pending || !factor) throw new ServiceError('factor.invalid_code');
  const { challenge } = optionsOf<PublicKeyCredentialRequestOptionsJSON>(pending);
  const { rpID, origin } = relyingPartyOf(tenant);
  const details = detailsOf(factor);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id: details.credentialId,
      counter: details.counter,
      publicKey: new Uint8Array(Buffer.from(openFactor(store, tools.secrets, factor), 'base64url')),
    },
    requireUserVerification: false,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  if (!verified || !authenticationInfo) throw new ServiceError('factor.invalid_code');
  const { newCounter } = authenticationInfo;
  await store.change(
    'userFactors',
    { id: factor.id },
    { details: { ...details, counter: newCounter }, lastUsedAt: now },
  );
  pending.isVerified = true;
  pending.userId = user.id;
  pending.factorId = factor.id;
  delete pending.details;
  return pending;
}
