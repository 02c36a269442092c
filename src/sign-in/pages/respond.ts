import type { Response } from 'express';
import type { ServiceError } from '../../errors.ts';
import type { Html } from '../../pages/html.ts';
import { pageHeaders, sendPage as send } from '../../pages/send.ts';
import type { Tenant } from '../../tenants.ts';
import { readSettings, type SignInSettings } from '../settings.ts';
import { chooseLanguage, type Texts, textsOf } from '../texts/index.ts';
import type { View } from './layout.ts';

/**
 * No inline script, no inline style, no frame. `form-action` is left out: browsers apply it to every
 * redirect after a form was sent, and the last of them is for the application to choose.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Likewise for the pages that oidc-provider sends. */
export const signInPageHeaders = pageHeaders(CONTENT_SECURITY_POLICY);

export const sendPage = (response: Response, status: number, page: Html): void =>
  send(response, status, page, CONTENT_SECURITY_POLICY);

/** Path of the tenant's endpoint, `''` or `/acme`: what its own links begin with. */
export const basePathOf = (tenant: Tenant): string => new URL(tenant.endpoint).pathname.replace(/(?<!\/)\/+$/, '');

/** Cookies of the sign-in pages carry the tenant's id, because tenants may share a host. */
export const cookieName = ({ id, protocol }: Tenant, name: string): string =>
  `${protocol === 'https' ? '__Secure-' : ''}${id}_${name}`;

interface Asked {
  uiLocales?: string | undefined;
  acceptLanguage?: string | undefined;
}

export function viewOf(tenant: Tenant, settings: SignInSettings, { uiLocales, acceptLanguage }: Asked): View {
  const language = chooseLanguage(uiLocales, acceptLanguage, settings.languageInfo);
  return {
    t: textsOf(language),
    language,
    base: basePathOf(tenant),
    brandName: settings.brandName,
    brandColor: settings.color.primaryColor,
  };
}

/** What to do about a refusal, in words; for limits, when to try again. */
export function faultText(t: Texts, { code, data }: ServiceError): string {
  const seconds = data?.retryAfterSeconds;
  if (typeof seconds !== 'number') return t.faults[code] ?? t.faultElse;
  return seconds < 90 ? t.retryInSeconds(seconds) : t.retryInMinutes(Math.ceil(seconds / 60));
}

export const readView = async (tenant: Tenant, asked: Asked): Promise<View> =>
  viewOf(tenant, await readSettings(tenant.store, tenant.name), asked);
