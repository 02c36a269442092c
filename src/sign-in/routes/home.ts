import type { RequestHandler } from 'express';
import { contextOf } from '../../http/context.ts';
import { type Html, html } from '../../pages/html.ts';
import { sendPage } from '../../pages/send.ts';
import { DEFAULT_TENANT } from '../../tenants.ts';
import { preferencesOf } from '../pages/language.ts';
import { layout, readView } from '../pages/layout.ts';

/**
 * Shows a page with links at the tenant's base URL. Clients that prefer JSON, or accept anything, get 404 as at any
 * unknown path.
 */
export const showHome: RequestHandler = async (request, response, next) => {
  response.vary('Accept');
  if (request.accepts(['json', 'html']) !== 'html') return next();
  const { tenant } = contextOf(request);
  const view = { ...(await readView(tenant, preferencesOf(request, tenant))), action: `${tenant.path}/` };
  const { home } = view.t;
  const link = ([label, what]: readonly string[], path: string): Html =>
    html`<li><div><p class="label"><a href="${view.base}${path}">${label}</a></p><p class="quiet small">${what}</p></div></li>`;
  const links = [
    tenant.id === DEFAULT_TENANT && link(home.console, '/console'),
    link(home.account, '/account'),
    link(home.reference, '/api/docs'),
    tenant.id !== DEFAULT_TENANT && link(home.discovery, '/oidc/.well-known/openid-configuration'),
  ];
  const page = layout(view, home.title(view.brandName), html`<ul class="list">${links}</ul>`, { lead: home.lead });
  sendPage(response, 200, page);
};
