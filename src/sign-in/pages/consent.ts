import { csrfField, type Html, html } from '../../pages/html.ts';
import { type FormView, layout } from './layout.ts';

export interface RequestedAccess {
  scopes: string[];
  resources: { indicator: string; scopes: string[] }[];
}

interface ConsentView extends FormView {
  applicationName: string;
  requested: RequestedAccess;
  /** The identifier that the user signed in with. */
  account: string;
}

/** Describes known scopes in words. A scope of an API resource is shown with its resource. */
function scopeTexts({ t, requested }: ConsentView): string[] {
  const own = requested.scopes.map((scope) => t.consent.scopes[scope] ?? scope);
  const others = requested.resources.flatMap(({ indicator, scopes }) =>
    scopes.map((scope) => t.consent.at(scope, indicator)),
  );
  return [...own, ...others];
}

export function consentPage(view: ConsentView): Html {
  const { t, applicationName, account, action, csrf, brandName } = view;
  const content = html`<ul class="bullets">${scopeTexts(view).map((words) => html`<li>${words}</li>`)}</ul>
<div class="who"><span>${t.consent.as} ${account}</span></div>
<form class="tight" method="post" action="${action}/consent">
${csrfField(csrf)}
<button class="button primary wide" name="decision" value="allow">${t.consent.allow}</button>
<button class="button wide" name="decision" value="deny">${t.consent.deny}</button>
</form>`;
  return layout(view, t.consent.title(applicationName), content, {
    lead: t.consent.lead(applicationName, brandName),
    isPlain: true,
  });
}
