import type { CookieOptions, Response } from 'express';
import type { Html } from '../../pages/html.ts';
import { pageHeaders, sendPage as send } from '../../pages/send.ts';
import type { Tenant } from '../../tenants.ts';
import { readSettings, type SignInSettings } from '../settings.ts';
import { chooseLanguage, textsOf } from '../texts/index.ts';
import type { View } from './layout.ts';

/**
 * Allows no inline script, no inline style and no frame. `form-action` is omitted: browsers apply it to every redirect
 * after a form was sent, and the last of them goes to the application.
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

/** The same headers for the pages that oidc-provider sends. */
export const signInPageHeaders = pageHeaders(CONTENT_SECURITY_POLICY);

export const sendPage = (response: Response, status: number, page: Html): void =>
  send(response, status, page, CONTENT_SECURITY_POLICY);

/** Path of the tenant's endpoint, `''` or `/acme`. Links of the pages begin with it. */
export const basePathOf = (tenant: Tenant): string => new URL(tenant.endpoint).pathname.replace(/(?<!\/)\/+$/, '');

/** The name of a cookie of the sign-in pages. It includes the tenant's id, because tenants may share a host. */
export const cookieName = ({ id, protocol }: Tenant, name: string): string =>
  `${protocol === 'https' ? '__Secure-' : ''}${id}_${name}`;

/** @param path below the tenant's endpoint */
export const cookieOptions = (tenant: Tenant, path: string): CookieOptions => ({
  path: `${basePathOf(tenant)}${path}`,
  httpOnly: true,
  secure: tenant.protocol === 'https',
});

interface LanguagePreferences {
  uiLocales?: string | undefined;
  acceptLanguage?: string | undefined;
}

export function viewOf(
  tenant: Tenant,
  settings: SignInSettings,
  { uiLocales, acceptLanguage }: LanguagePreferences,
): View {
  const language = chooseLanguage(uiLocales, acceptLanguage, settings.languageInfo);
  return {
    t: textsOf(language),
    language,
    base: basePathOf(tenant),
    brandName: settings.brandName,
    brandColor: settings.color.primaryColor,
  };
}

export const readView = async (tenant: Tenant, preferences: LanguagePreferences): Promise<View> =>
  viewOf(tenant, await readSettings(tenant.store, tenant.name), preferences);
