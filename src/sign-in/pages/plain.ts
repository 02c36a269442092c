import { type Html, html, trusted } from '../../pages/html.ts';
import { layout, type View } from './layout.ts';

export const expiredPage = (view: View): Html =>
  layout(view, view.t.error.expiredTitle, html``, { lead: view.t.error.expired });

/** @param reason error code and description of the standard, for the developers of the application */
export const errorPage = (view: View, reason: string, { isSignOut }: { isSignOut: boolean }): Html =>
  layout(view, isSignOut ? view.t.error.signOutTitle : view.t.error.signInTitle, html`<p class="mono">${reason}</p>`, {
    lead: view.t.error.request,
  });

/** @param providerForm made by oidc-provider, with its own CSRF token */
export const signOutPage = (view: View, providerForm: string): Html =>
  layout(
    view,
    view.t.signOut.title(view.brandName),
    html`<div class="tight">${trusted(providerForm)}
<button class="button primary wide" form="op.logoutForm" name="logout" value="yes">${view.t.signOut.submit}</button>
<button class="button wide" form="op.logoutForm">${view.t.signOut.stay}</button>
</div>`,
  );

export const signedOutPage = (view: View): Html =>
  layout(view, view.t.signOut.doneTitle, html``, { lead: view.t.signOut.done });
