import { type Html, html, trusted } from '../../pages/html.ts';
import { layout, type View } from './layout.ts';

export const expiredPage = (view: View): Html =>
  layout(view, view.t.error.expiredTitle, html``, { lead: view.t.error.expired });

/** `reason` is a standard's text for the application's makers. */
export const errorPage = (view: View, reason: string): Html =>
  layout(view, view.t.error.title, html`<p class="mono">${reason}</p>`, { lead: view.t.error.request });

/** @param providerForm made by oidc-provider, with its own token against forgery */
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
