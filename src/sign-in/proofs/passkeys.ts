import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { UserFactorRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Tenant } from '../../tenants.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, giveProof, identifiedUser, progressOf } from '../interaction/flow.ts';
import type {
  Ceremonies,
  Ceremony,
  PasskeyDetails,
  StartedPasskey,
  Verification,
} from '../interaction/verification.ts';
import { factorsOf, openFactor } from './factors.ts';

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
const pendingPasskey = <C extends Ceremony>(flow: Flow, ceremony: C) =>
  progressOf(flow).verifications.findLast(
    (one): one is Verification<StartedPasskey<C>> =>
      one.type === 'WebAuthn' && !one.isVerified && one.details.ceremony === ceremony,
  );

/** Returns the challenge of a ceremony, the same one until it is answered. */
async function challengeFor<C extends Ceremony>(
  flow: Flow,
  ceremony: C,
  make: () => Promise<Ceremonies[C]>,
): Promise<Ceremonies[C]> {
  const pending = pendingPasskey(flow, ceremony);
  if (pending) return pending.details.options;
  const options = await make();
  addVerification(flow, { type: 'WebAuthn', isVerified: false, details: { ceremony, options } });
  return options;
}

/** The checks of every response: it answers this challenge, at this host and origin. */
function expectationsOf({ tenant }: Flow, { details }: StartedPasskey) {
  const { rpID, origin } = relyingPartyOf(tenant);
  const { challenge } = details.options;
  return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID, requireUserVerification: false };
}

/** @param accountName shown by the device */
export async function newPasskeyOptions(flow: Flow, accountName: string): Promise<Ceremonies['create']> {
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
  const expected = expectationsOf(flow, pending);
  const result = await verifyRegistrationResponse({ response, ...expected }).catch(() => undefined);
  if (!result?.verified) throw new ServiceError('factor.invalid_code');
  const { id, publicKey, counter, transports } = result.registrationInfo.credential;
  const passkey = { credentialId: id, counter, ...(transports && { transports }) };
  const details = { secret: Buffer.from(publicKey).toString('base64url'), passkey };
  return giveProof(flow, pending, { type: 'WebAuthn', isVerified: true, details });
}

export async function passkeyOptions(flow: Flow): Promise<Ceremonies['get']> {
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
  const { store, tools, now } = flow;
  const user = await identifiedUser(flow);
  const pending = pendingPasskey(flow, 'get');
  const factor = (await passkeysOf(flow, user.id)).find((one) => detailsOf(one).credentialId === response.id);
  if (!pending || !factor) throw new ServiceError('factor.invalid_code');
  const details = detailsOf(factor);
  const publicKey = new Uint8Array(Buffer.from(openFactor(store, tools.secrets, factor), 'base64url'));
  const result = await verifyAuthenticationResponse({
    response,
    ...expectationsOf(flow, pending),
    credential: { id: details.credentialId, counter: details.counter, publicKey },
  }).catch(() => undefined);
  if (!result?.verified) throw new ServiceError('factor.invalid_code');
  const used = { ...details, counter: result.authenticationInfo.newCounter };
  await store.change('userFactors', { id: factor.id }, { details: used, lastUsedAt: now });
  return giveProof(flow, pending, { type: 'WebAuthn', isVerified: true, userId: user.id, factorId: factor.id });
}
