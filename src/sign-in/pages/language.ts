import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { contextOf } from '../../http/context.ts';
import { type Cookie, readCookie, setCookie } from '../../http/cookies.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { isLanguage, type LanguagePreferences, languageNames } from '../texts/index.ts';

const languageCookie = ({ id }: Tenant): Cookie => ({
  name: `${id}_language`,
  path: '/',
  maxAge: 365 * 24 * 60 * 60 * 1000,
});

/** Returns the languages that a request asks for, without those of an application. */
export const preferencesOf = (request: Pick<IncomingMessage, 'headers'>, tenant: Tenant): LanguagePreferences => ({
  chosen: readCookie(request, tenant, languageCookie(tenant)),
  acceptLanguage: request.headers['accept-language'],
});

/** Handles a link of the language switch: keeps the choice in a cookie and shows the same page without the query. */
export const keepLanguage: RequestHandler = (request, response, next) => {
  const { language } = request.query;
  if (typeof language !== 'string' || !isLanguage(language)) return next();
  const { tenant } = contextOf(request);
  setCookie(response, tenant, languageCookie(tenant), language);
  response.redirect(303, tenant.path + request.path);
};

/** Links to the same page in the other languages. They work without JavaScript. @param path of the page */
export function languageSwitch(path: string, current: string, label: string): Html {
  const name = languageNames.find(([language]) => language === current)?.[1];
  const links = languageNames.map(
    ([language, name]) =>
      html`<li><a href="${path}?language=${language}" lang="${language}"${language === current && html` aria-current="true"`}>${name}</a></li>`,
  );
  return html`<details class="languages"><summary><span class="unseen">${label}: </span>${name}</summary><ul>${links}</ul></details>`;
}
