import type { RequestHandler } from 'express';
import { contextOf } from '../../http/context.ts';
import { DEFAULT_TENANT } from '../../tenants.ts';
import { homePage } from '../pages/home.ts';
import { readView, sendPage } from '../pages/respond.ts';

/**
 * Shows a page with links at the tenant's base URL. Clients that prefer JSON, or accept anything, get 404 as at any
 * unknown path.
 */
export const showHome: RequestHandler = async (request, response, next) => {
  response.vary('Accept');
  if (request.accepts(['json', 'html']) !== 'html') return next();
  const { tenant } = contextOf(request);
  const view = await readView(tenant, { acceptLanguage: request.headers['accept-language'] });
  sendPage(response, 200, homePage(view, { hasConsole: tenant.id === DEFAULT_TENANT }));
};
