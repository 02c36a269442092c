import { type Html, html } from '../../pages/html.ts';
import { layout, type View } from './layout.ts';

/** @param hasConsole true for the tenant whose endpoint serves the console */
export function homePage(view: View, { hasConsole }: { hasConsole: boolean }): Html {
  const { t, base, brandName } = view;
  const { home } = t;
  const link = ([label, what]: readonly string[], path: string): Html =>
    html`<li><div><p class="label"><a href="${base}${path}">${label}</a></p><p class="quiet small">${what}</p></div></li>`;
  const links = [
    hasConsole && link(home.console, '/console'),
    link(home.account, '/account'),
    link(home.reference, '/api/docs'),
    !hasConsole && link(home.discovery, '/oidc/.well-known/openid-configuration'),
  ];
  return layout(view, home.title(brandName), html`<ul class="list">${links}</ul>`, { lead: home.lead });
}
