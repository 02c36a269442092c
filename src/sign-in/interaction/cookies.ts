import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { hashOf, isSameSecret } from '../../base/ids.ts';
import { ServiceError } from '../../errors.ts';
import { type Cookie, readCookie, setCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import { cidOf, type Interaction, publicIdOf } from './open-flow.ts';
import { INTERACTION_LIFETIME_MS } from './progress.ts';

/** The form of a public id. Anything else in `state` must not become part of a cookie's name. */
const PUBLIC_ID = /^[\w-]{22}$/;

/**
 * Returns the second part of the cookie's value, after the interaction's id. It proves that this service set the cookie
 * for this interaction. The id alone is not enough: it is in the path of every page, and so in the logs of every proxy.
 * The proof is derived from the interaction's `cid`, which never leaves the server.
 */
const proofOf = (interaction: Interaction): string => hashOf(`experience:${cidOf(interaction)}:${interaction.uid}`);

/** The Experience API's. With several interactions in one browser it uses the one shown last. */
const experienceCookie = ({ id }: Tenant): Cookie => ({
  name: `${id}_experience`,
  path: '/api/experience',
  sameSite: 'strict',
});

/** The return from an identity provider is cross-site. One for each interaction, because several may be at a provider. */
const callbackCookie = ({ id }: Tenant, publicId: string): Cookie => ({
  name: `${id}_callback_${publicId}`,
  path: '/sign-in/callback',
  maxAge: INTERACTION_LIFETIME_MS,
});

/**
 * Sets the cookies by which the Experience API and the callback of identity providers find the interaction.
 * oidc-provider's own signed cookie, which is checked before, is limited to the path of the pages.
 */
export function setInteractionCookies(response: Response, tenant: Tenant, interaction: Interaction): void {
  const { uid } = interaction;
  setCookie(response, tenant, experienceCookie(tenant), `${uid}.${proofOf(interaction)}`);
  setCookie(response, tenant, callbackCookie(tenant, publicIdOf(uid)), uid);
}

/** @throws 404 `session.not_found` unless this browser was shown a page of the interaction that its cookie names */
export async function findExperience(provider: Provider, tenant: Tenant, request: Request): Promise<Interaction> {
  const [uid, proof = ''] = (readCookie(request, tenant, experienceCookie(tenant)) ?? '').split('.');
  const found = uid ? ((await provider.Interaction.find(uid)) as Interaction | undefined) : undefined;
  if (found?.prompt.name !== 'login') throw new ServiceError('session.not_found');
  if (!isSameSecret(proof, proofOf(found))) throw new ServiceError('session.not_found');
  return found;
}

/**
 * Returns the id of the interaction that `state` belongs to.
 *
 * @throws 404 `session.not_found` unless this browser started it
 */
export function interactionOfState(request: Request, tenant: Tenant, publicId: string): string {
  const uid = PUBLIC_ID.test(publicId) ? readCookie(request, tenant, callbackCookie(tenant, publicId)) : undefined;
  if (uid === undefined || publicIdOf(uid) !== publicId) throw new ServiceError('session.not_found');
  return encodeURIComponent(uid);
}
