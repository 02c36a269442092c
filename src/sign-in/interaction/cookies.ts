import { timingSafeEqual } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import { ServiceError } from '../../errors.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import { basePathOf, cookieName } from '../pages/respond.ts';
import { cidOf, type Interaction, publicIdOf } from './open-flow.ts';

/** As long as an interaction of oidc-provider lives. */
const LIFETIME_MS = 60 * 60 * 1000;

const optionsOf = (tenant: Tenant, path: string): CookieOptions => ({
  path: `${basePathOf(tenant)}${path}`,
  httpOnly: true,
  secure: tenant.protocol === 'https',
});

/** A public id has this form; anything else in `state` is no name of a cookie. */
const PUBLIC_ID = /^[\w-]{22}$/;

/**
 * Follows the interaction's id and proves that the cookie was set here, for this interaction: the id alone, which stands in
 * the path of every page and so in the logs of every proxy, opens nothing. The key is the interaction's `cid`, which never
 * leaves the server.
 */
const proofOf = (interaction: Interaction): string => hashOf(`experience:${cidOf(interaction)}:${interaction.uid}`);

/**
 * Set with every page of an interaction, after oidc-provider's own signed cookie was checked. That one is bound to the path
 * of the pages; these let two other paths know the interaction.
 */
export function setInteractionCookies(response: Response, tenant: Tenant, interaction: Interaction): void {
  const { uid } = interaction;
  // The Experience API: with several interactions in one browser, the last one shown.
  response.cookie(cookieName(tenant, 'experience'), `${uid}.${proofOf(interaction)}`, {
    ...optionsOf(tenant, '/api/experience'),
    sameSite: 'strict',
  });
  // The way back from an identity provider, which is cross-site. A cookie for each interaction, as several may be away.
  response.cookie(cookieName(tenant, `callback_${publicIdOf(uid)}`), uid, {
    ...optionsOf(tenant, '/sign-in/callback'),
    sameSite: 'lax',
    maxAge: LIFETIME_MS,
  });
}

/** @throws 404 `session.not_found` unless this browser was shown a page of the interaction that its cookie names */
export async function findExperience(provider: Provider, tenant: Tenant, request: Request): Promise<Interaction> {
  const [uid, proof = ''] = (readCookie(request, cookieName(tenant, 'experience')) ?? '').split('.');
  const found = uid ? ((await provider.Interaction.find(uid)) as Interaction | undefined) : undefined;
  if (found?.prompt.name !== 'login') throw new ServiceError('session.not_found');
  const [given, wanted] = [Buffer.from(proof), Buffer.from(proofOf(found))];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new ServiceError('session.not_found');
  return found;
}

/** @throws 404 `session.not_found` unless this browser began the interaction that a state stands for */
export function interactionOfState(request: Request, tenant: Tenant, publicId: string): string {
  const uid = PUBLIC_ID.test(publicId) ? readCookie(request, cookieName(tenant, `callback_${publicId}`)) : undefined;
  if (uid === undefined || publicIdOf(uid) !== publicId) throw new ServiceError('session.not_found');
  return encodeURIComponent(uid);
}
