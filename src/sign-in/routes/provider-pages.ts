import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ProviderPages } from '../../oidc/provider.ts';
import type { Html } from '../../pages/html.ts';
import { pageHeaders } from '../../pages/send.ts';
import type { Tenant } from '../../tenants.ts';
import { preferencesOf } from '../pages/language.ts';
import { readView, type View } from '../pages/layout.ts';
import { errorPage, signedOutPage, signOutPage } from '../pages/plain.ts';

async function render(ctx: KoaContextWithOIDC, tenant: Tenant, page: (view: View) => Html): Promise<string> {
  const { ui_locales: uiLocales } = ctx.oidc?.params ?? {};
  const view = await readView(tenant, {
    ...preferencesOf(ctx.req, tenant),
    uiLocales: typeof uiLocales === 'string' ? uiLocales : undefined,
  });
  ctx.set(pageHeaders);
  return page(view).text;
}

const SIGN_OUT = /\/session\/end(?:\/|$)/;

/** The pages that oidc-provider shows outside an interaction. */
export const providerPages: ProviderPages = {
  error: (ctx, tenant, { error, error_description: description }) =>
    render(ctx, tenant, (view) =>
      errorPage(view, description ? `${error}: ${description}` : error, { isSignOut: SIGN_OUT.test(ctx.path) }),
    ),
  signOut: (ctx, tenant, form) => render(ctx, tenant, (view) => signOutPage(view, form)),
  signedOut: (ctx, tenant) => render(ctx, tenant, signedOutPage),
};
