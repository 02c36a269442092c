import type { ConnectorRow } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import { currentCredentials } from '../interaction/credentials.ts';
import { requireStep } from '../interaction/events.ts';
import { addVerification, type Flow, giveProof, progressOf } from '../interaction/flow.ts';
import { findUser } from '../interaction/identifiers.ts';
import type { NewIdentity } from '../interaction/progress.ts';
import type { Proof, SocialProof, StartedSocial, Verification } from '../interaction/verification.ts';
import { connectorOfDomain } from './connectors.ts';
import { refuseSsoAddress } from './single-sign-on.ts';

async function connectorOf({ store }: Flow, target: string): Promise<ConnectorRow> {
  const connector = await store.find('connectors', { target });
  if (!connector) throw new ServiceError('session.not_allowed');
  return connector;
}

/** One for each connector. The tenant registers it at the provider. */
const redirectUriOf = ({ tenant }: Flow, target: string): string => `${tenant.endpoint}/sign-in/callback/${target}`;

/** Returns the proof that was started, and the URL to redirect the browser to. */
export async function startSocial(flow: Flow, target: string) {
  await requireStep(flow, 'social');
  const connector = await connectorOf(flow, target);
  const { handshake, url } = await flow.tools.relyingParty.begin(
    flow.tenant.id,
    connector,
    redirectUriOf(flow, target),
    flow.publicId,
  );
  const progress = progressOf(flow);
  progress.verifications = progress.verifications.filter((one) => !isStarted(one));
  const type = connector.domains.length > 0 ? 'EnterpriseSso' : 'Social';
  return { verification: addVerification(flow, { type, isVerified: false, details: handshake }), url };
}

const isStarted = (one: Verification): one is Verification<StartedSocial> =>
  (one.type === 'Social' || one.type === 'EnterpriseSso') && !one.isVerified;

/** @param search the query of the callback, unchanged */
export async function finishSocial(flow: Flow, target: string, search: string): Promise<Verification<SocialProof>> {
  const pending = progressOf(flow)
    .verifications.filter(isStarted)
    .findLast(({ details }) => details.target === target);
  if (!pending) throw new ServiceError('session.verification_not_found');
  const connector = await connectorOf(flow, target);
  const social = await flow.tools.relyingParty.finish(flow.tenant.id, connector, pending.details, search);
  const linked = await flow.store.find('userIdentities', { target, externalId: social.externalId });
  social.isEmailVerified ??= connector.assumeEmailVerified || undefined;
  // Until an identity is linked, its email address decides which account it belongs to.
  if (isSso(pending) && !linked && social.isEmailVerified === false) {
    throw new ServiceError('session.email_not_verified');
  }
  const { type } = pending;
  const verification = giveProof(flow, pending, { type, isVerified: true, details: { target, social } });
  if (linked) await bindToAccount(flow, verification, linked.userId);
  return verification;
}

/** Binds the proof to the account in its current state. */
export async function bindToAccount({ store }: Flow, verification: Proof, userId: string): Promise<void> {
  const credentials = await currentCredentials(store, userId);
  verification.userId = userId;
  if (credentials !== undefined) verification.credentials = credentials;
}

const isSso = ({ type }: Proof): boolean => type === 'EnterpriseSso';

/** Returns the identity that the provider confirmed. @throws 422 `session.verification_not_found` if it was linked */
function confirmedIn({ details }: SocialProof) {
  if (!details) throw new ServiceError('session.verification_not_found');
  return details;
}

/** Returns the part of an identity that is stored with the account and shown there. */
export function identityIn(verification: SocialProof): NewIdentity {
  const { target, social } = confirmedIn(verification);
  const { externalId, email, name, avatar } = social;
  return { target, externalId, isSso: isSso(verification), details: { id: externalId, email, name, avatar } };
}

/**
 * Returns the account with the email address that the provider has verified. A connector with domains is trusted for
 * addresses in them; for any other provider the user must also prove the account.
 *
 * @throws 422 `session.email_not_verified` if single sign-on would sign in to an account by an address that the
 * provider has not verified
 */
export async function accountByEmail(flow: Flow, verification: SocialProof) {
  const { target, social } = confirmedIn(verification);
  const { email, isEmailVerified } = social;
  if (email === undefined) return undefined;
  const { domains, name } = await connectorOf(flow, target);
  const isTrusted = domains.some((domain) => email.endsWith(`@${domain}`));
  if (domains.length > 0 ? !isTrusted : !isEmailVerified) return undefined;
  const user = await findUser(flow.store, { type: 'email', value: email });
  if (user && !isEmailVerified) throw new ServiceError('session.email_not_verified');
  return user && { user, email, isTrusted, providerName: name };
}

/**
 * Gathers a new account from the provider's claims. The email address is used only if the provider has verified it and
 * no account has it; for single sign-on it must also be in the connector's domains.
 *
 * @throws 422 `session.sso_required` if the address is in another connector's domains
 */
export async function registerSocial(flow: Flow, verification: SocialProof): Promise<void> {
  const progress = progressOf(flow);
  if (flow.settings.signInMode !== 'SignInAndRegister' && !isSso(verification)) {
    throw new ServiceError('session.unknown_account');
  }
  const { target, social } = confirmedIn(verification);
  const { email, isEmailVerified, name, avatar } = social;
  const owner = email === undefined ? undefined : await connectorOfDomain(flow.store, email);
  const isOwn = owner ? owner.target === target : !isSso(verification);
  if (email && owner && !isOwn) await refuseSsoAddress(flow.store, { type: 'email', value: email });
  const isFree = email !== undefined && !(await findUser(flow.store, { type: 'email', value: email }));
  if (email && isFree && isEmailVerified && isOwn) progress.account.primaryEmail = email;
  if (name) progress.account.name = name;
  if (avatar) progress.account.avatar = avatar;
  progress.identities = [identityIn(verification)];
}
