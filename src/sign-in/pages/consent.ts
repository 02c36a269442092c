import { type Html, html } from '../../pages/html.ts';
import type { Asked } from '../interaction/consent.ts';
import { type FormView, layout } from './layout.ts';

interface ConsentView extends FormView {
  applicationName: string;
  asked: Asked;
  /** What the person signed in with. */
  account: string;
}

/** In words where we have them; a scope of a resource is named with it. */
function wordsOf({ t, asked }: ConsentView): string[] {
  const own = asked.scopes.map((scope) => t.consent.scopes[scope] ?? scope);
  const others = asked.resources.flatMap(({ indicator, scopes }) =>
    scopes.map((scope) => t.consent.at(scope, indicator)),
  );
  return [...own, ...others];
}

export function consentPage(view: ConsentView): Html {
  const { t, applicationName, account, action, csrf, brandName } = view;
  const content = html`<ul class="bullets">${wordsOf(view).map((words) => html`<li>${words}</li>`)}</ul>
<div class="who"><span>${t.consent.as} ${account}</span></div>
<form class="tight" method="post" action="${action}/consent">
<input type="hidden" name="csrf" value="${csrf}">
<button class="button primary wide" name="decision" value="allow">${t.consent.allow}</button>
<button class="button wide" name="decision" value="deny">${t.consent.deny}</button>
</form>`;
  return layout(view, t.consent.title(applicationName), content, { lead: t.consent.lead(applicationName, brandName) });
}
