import { type Html, html } from '../../pages/html.ts';
import type { IdentifierType } from '../settings.ts';
import { type FormView, layout } from './layout.ts';
import { field, form, identifierRow, linkForm, note, submit } from './parts.ts';

export interface SocialChoice {
  target: string;
  name: string;
}

interface IdentifierView extends FormView {
  allowed: IdentifierType[];
  value: string | undefined;
  applicationName: string | undefined;
  social: SocialChoice[];
  canRegister: boolean;
  isPasswordChanged: boolean;
}

/** The on-screen keyboard for the allowed identifiers. */
const inputmodeOf = (allowed: readonly IdentifierType[]) => {
  const [only, ...others] = allowed;
  if (others.length > 0) return allowed.every((type) => type !== 'username') ? 'email' : 'text';
  return only === 'phone' ? 'tel' : only === 'email' ? 'email' : 'text';
};

/** A field that accepts one or several identifiers: `Username, email address or phone number`. */
export const identifierField = (
  { t, fault }: FormView,
  allowed: readonly IdentifierType[],
  value: string | undefined,
  autocomplete = allowed.length === 1 && allowed[0] === 'email' ? 'email' : 'username',
): Html =>
  field(t, {
    name: 'identifier',
    label: t.identifier.any(allowed.map((type) => t.identifier[type])),
    autocomplete,
    inputmode: inputmodeOf(allowed),
    value,
    fault,
  });

export const socialLinks = ({ action, t }: FormView, social: SocialChoice[]): Html | false =>
  social.length > 0 &&
  html`<div class="or">${t.common.or}</div>
<div class="tight">${social.map(
    ({ target, name }) => html`<a class="button wide" href="${action}/social/${target}">${t.common.with(name)}</a>`,
  )}</div>`;

export function identifierPage(view: IdentifierView): Html {
  const { t, allowed, value, applicationName, social, canRegister, isPasswordChanged } = view;
  const content = html`${isPasswordChanged && note('ok', t.signIn.passwordChanged)}
${form(
  view,
  'identifier',
  html`${identifierField(view, allowed, value, 'username webauthn')}
${submit(t.common.continue)}`,
)}
${socialLinks(view, social)}
${canRegister && html`<div class="links">${linkForm(view, 'register', t.signIn.create)}</div>`}`;
  return layout(view, t.signIn.title(view.brandName), content, {
    lead: applicationName === undefined ? undefined : t.signIn.for(applicationName),
  });
}

interface PasswordView extends FormView {
  identifier: string;
  isPasswordChanged: boolean;
  /** Name of the provider whose identity is linked once the account is proven. */
  linking: string | undefined;
  canUseCode: boolean;
  canReset: boolean;
}

export function passwordPage(view: PasswordView): Html {
  const { t, fault, identifier, isPasswordChanged, linking, canUseCode, canReset } = view;
  const content = html`${linking && note('info', t.social.exists(identifier, linking))}
${isPasswordChanged && note('ok', t.signIn.passwordChanged)}
${identifierRow(view, identifier)}
${form(
  view,
  'password',
  html`<input type="hidden" name="username" value="${identifier}" autocomplete="username">
${field(t, { name: 'password', label: t.password.label, type: 'password', autocomplete: 'current-password', fault })}
${submit(t.password.submit)}`,
)}
<div class="links">
${canUseCode && linkForm(view, 'code/send', t.password.useCode)}
${canReset && linkForm(view, 'forgot', t.password.forgot)}
</div>`;
  return layout(view, t.password.title, content);
}

/** Shown in place of the refused form, with the only allowed sign-in method. */
export function singleSignOnPage(view: FormView, { target, name }: SocialChoice): Html {
  const { t, action } = view;
  const content = html`<a class="button primary wide" href="${action}/social/${target}">${t.common.with(name)}</a>
<div class="links"><a href="${action}?change">${t.common.back}</a></div>`;
  return layout(view, t.singleSignOn.title(name), content, { lead: t.singleSignOn.lead });
}
