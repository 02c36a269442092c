import { csrfField, type Html, html } from '../../pages/html.ts';
import type { IdentifierType } from '../settings.ts';
import type { CodeFacts } from '../texts/index.ts';
import { type FormView, layout } from './layout.ts';
import { codeField, field, form, identifierRow, linkForm, submit } from './parts.ts';
import { identifierField, type SocialChoice, socialLinks } from './sign-in.ts';

interface FirstView extends FormView {
  allowed: IdentifierType[];
  value: string | undefined;
  social: SocialChoice[];
}

export function registerPage(view: FirstView): Html {
  const { t, allowed, value, social } = view;
  const content = html`${form(view, 'identifier', html`${identifierField(view, allowed, value)}${submit(t.common.continue)}`)}
${socialLinks(view, social)}
<div class="links">${linkForm(view, 'sign-in', t.common.signInInstead)}</div>`;
  return layout(view, t.register.title(view.brandName), content);
}

export function forgotPage(view: FirstView): Html {
  const { t, allowed, value } = view;
  const content = html`${form(view, 'identifier', html`${identifierField(view, allowed, value)}${submit(t.forgot.submit)}`)}
<div class="links">${linkForm(view, 'sign-in', t.common.signInInstead)}</div>`;
  return layout(view, t.forgot.title, content, { lead: t.forgot.lead });
}

interface CodeView extends FormView {
  code: CodeFacts;
  destination: string;
  /** Seconds until a new code can be requested. */
  waitSeconds: number;
  canUsePassword: boolean;
}

export function codePage(view: CodeView): Html {
  const { t, fault, code, destination, waitSeconds, canUsePassword, action, csrf } = view;
  const content = html`${identifierRow(view, destination)}
${form(view, 'code', html`${codeField(t, t.code.label(code.digits), fault, code.digits)}${submit(t.common.continue)}`)}
<div class="links">
<form method="post" action="${action}/code/send">${csrfField(csrf)}<button class="link" data-wait="${waitSeconds}" data-waiting="${t.code.resendIn}">${t.code.resend}</button></form>
${canUsePassword && html`<a href="${action}?password">${t.code.usePassword}</a>`}
</div>`;
  return layout(view, t.code.title, content, { lead: t.code.sent(destination, code) });
}

interface NewPasswordView extends FormView {
  identifier: string | undefined;
  minLength: number;
  isReset: boolean;
}

export function newPasswordPage(view: NewPasswordView): Html {
  const { t, fault, identifier, minLength, isReset } = view;
  const content = html`${identifier && identifierRow(view, identifier)}
${form(
  view,
  'new-password',
  html`<input type="hidden" name="username" value="${identifier}" autocomplete="username">
${field(t, {
  name: 'password',
  label: t.newPassword.label,
  type: 'password',
  autocomplete: 'new-password',
  hint: t.newPassword.hint(minLength),
  fault,
})}
${submit(isReset ? t.newPassword.submitReset : t.register.submit)}`,
)}`;
  return layout(view, isReset ? t.newPassword.titleReset : t.newPassword.titleRegister, content);
}

/** Asks for an identifier of a type that every account must have and this one lacks. */
export function profilePage(view: FormView & { missing: IdentifierType; value: string | undefined }): Html {
  const { t, missing, value } = view;
  const content = form(view, 'profile', html`${identifierField(view, [missing], value)}${submit(t.common.continue)}`);
  return layout(view, t.profile.title, content, { lead: t.profile.lead(view.brandName) });
}
