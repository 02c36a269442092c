import { csrfField, type Html, html } from '../../pages/html.ts';
import type { FactorType, IdentifierType } from '../settings.ts';
import { type FormView, layout } from './layout.ts';
import { field, form, linkForm, note, submit } from './parts.ts';
import { identifierField } from './sign-in.ts';

interface AccountView extends FormView {
  isSaved: boolean;
  name: string | null;
  identifiers: { type: IdentifierType; value: string | null }[];
  hasPassword: boolean;
  linked: { target: string; name: string; identity: string; isRemovable: boolean }[];
  linkable: { target: string; name: string }[];
  factors: { id: string; type: FactorType; createdAt: number; remaining: number | undefined }[];
  offered: FactorType[];
  /** `since` is in epoch milliseconds. */
  sessions: { isThis: boolean; since: number }[];
}

/** A row with a label and its current value. */
const valueRow = (label: string, value: string, control: Html | false = false): Html =>
  html`<li><div><p class="label">${label}</p><p class="quiet small">${value}</p></div>${control}</li>`;

/** A row with a link that changes the value. */
const linkRow = (label: string, value: string, href: string, action: string): Html =>
  valueRow(label, value, html`<a class="button compact" href="${href}" aria-label="${action}: ${label}">${action}</a>`);

/** A form and not a link, because another site can make the browser follow a link. */
const linkButton = ({ action, csrf, t }: FormView, target: string, name: string): Html =>
  html`<form method="post" action="${action}/link/${target}">${csrfField(csrf)}<button class="button compact" aria-label="${t.account.add}: ${name}">${t.account.add}</button></form>`;

const section = (title: string, content: Html, lead?: string): Html =>
  html`<section class="tight"><h2>${title}</h2>${lead && html`<p class="quiet small">${lead}</p>`}${content}</section>`;

const dateOf = ({ language }: FormView, time: number): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(time);

function profileSections(view: AccountView): Html {
  const { t, action, name, identifiers, hasPassword } = view;
  const { account, common } = t;
  const change = (value: unknown) => (value ? common.change : account.add);
  const rows = identifiers.map(({ type, value }) =>
    linkRow(t.identifier[type], value ?? account.notSet, `${action}?edit=${type}`, change(value)),
  );
  const password = linkRow(
    t.password.label,
    hasPassword ? '••••••••' : account.notSet,
    `${action}?edit=password`,
    change(hasPassword),
  );
  return html`${section(account.profile, html`<ul class="list">${linkRow(account.name, name ?? account.notSet, `${action}?edit=name`, change(name))}</ul>`)}
${section(account.signInWith, html`<ul class="list">${rows}${password}</ul>`)}`;
}

function linkedSection(view: AccountView): Html | false {
  const { t, action, linked, linkable } = view;
  if (linked.length + linkable.length === 0) return false;
  const rows = linked.map(({ target, name, identity, isRemovable }) =>
    isRemovable ? linkRow(name, identity, `${action}?unlink=${target}`, t.account.remove) : valueRow(name, identity),
  );
  const more = linkable.map(({ target, name }) => valueRow(name, t.account.notLinked, linkButton(view, target, name)));
  return section(t.account.linked, html`<ul class="list">${rows}${more}</ul>`);
}

function factorSection(view: AccountView): Html | false {
  const { t, action, factors, offered } = view;
  if (factors.length + offered.length === 0) return false;
  const about = ({ createdAt, remaining }: AccountView['factors'][number]) =>
    [remaining !== undefined && t.account.codesLeft(remaining), t.account.addedOn(dateOf(view, createdAt))]
      .filter(Boolean)
      .join(', ');
  const held = factors.map((factor) =>
    linkRow(t.enrol.names[factor.type], about(factor), `${action}?remove=${factor.id}`, t.account.remove),
  );
  const more = offered.map((type) =>
    linkRow(t.enrol.names[type], t.enrol.about[type], `${action}?add=${type}`, t.account.add),
  );
  return section(t.account.factors, html`<ul class="list">${held}${more}</ul>`, t.account.factorsLead);
}

function sessionSection(view: AccountView): Html {
  const { t, base, sessions } = view;
  const rows = sessions.map(
    ({ isThis, since }) =>
      html`<li><div><p class="label">${isThis ? t.account.thisBrowser : t.account.otherBrowser}</p><p class="quiet small"><time datetime="${new Date(since).toISOString()}">${t.account.since(dateOf(view, since))}</time></p></div>${isThis && html`<a class="button compact" href="${base}/oidc/session/end">${t.signOut.submit}</a>`}</li>`,
  );
  const others =
    sessions.length > 1 && html`<div class="links">${linkForm(view, 'sign-out-others', t.account.signOutOthers)}</div>`;
  return section(t.account.sessions, html`<ul class="list">${rows}</ul>${others}`);
}

export function accountPage(view: AccountView): Html {
  const content = html`${view.isSaved && note('ok', view.t.account.saved)}${view.fault && note('bad', view.fault)}
${profileSections(view)}
${linkedSection(view)}
${factorSection(view)}
${sessionSection(view)}`;
  return layout(view, view.t.account.title, content, { isWide: true });
}

/** A page with one form and a link back to the overview. */
function formPage(view: FormView, title: string, step: string, content: Html, lead?: string): Html {
  const back = html`<div class="links"><a href="${view.action}">${view.t.common.back}</a></div>`;
  return layout(view, title, html`${form(view, step, content)}${back}`, { lead });
}

export function editNamePage(view: FormView & { value: string | undefined }): Html {
  const { t, fault, value } = view;
  const input = field(t, {
    name: 'name',
    label: t.account.name,
    autocomplete: 'name',
    isOptional: true,
    value,
    fault,
    maxlength: 128,
  });
  return formPage(view, t.account.name, 'name', html`${input}${submit(t.account.save)}`);
}

const AUTOCOMPLETE = { username: 'username', email: 'email', phone: 'tel' } as const;

export function editIdentifierPage(view: FormView & { type: IdentifierType; value: string | undefined }): Html {
  const { t, type, value } = view;
  const input = identifierField(view, [type], value, AUTOCOMPLETE[type]);
  const next = type === 'username' ? t.account.save : t.common.continue;
  return formPage(view, t.identifier[type], type, html`${input}${submit(next)}`);
}

export function editPasswordPage(
  view: FormView & { hasPassword: boolean; minLength: number; isCurrentWrong: boolean },
): Html {
  const { t, fault, hasPassword, minLength, isCurrentWrong } = view;
  const current = field(t, {
    name: 'current',
    label: t.account.currentPassword,
    type: 'password',
    autocomplete: 'current-password',
    fault: isCurrentWrong ? t.account.wrongPassword : undefined,
  });
  const next = field(t, {
    name: 'password',
    label: t.newPassword.label,
    type: 'password',
    autocomplete: 'new-password',
    hasFocus: !hasPassword,
    hint: t.newPassword.hint(minLength),
    fault: isCurrentWrong ? undefined : fault,
  });
  const title = hasPassword ? t.account.passwordSet : t.account.passwordNone;
  return formPage(view, title, 'password', html`${hasPassword && current}${next}${submit(t.account.save)}`);
}

interface ConfirmationView extends FormView {
  step: 'link' | 'remove' | 'unlink';
  id: string;
  title: string;
  label: string;
  lead?: string;
}

/**
 * Asks for confirmation and names what will be linked or removed: the browser may be signed in at the provider as
 * another user.
 */
export function confirmationPage(view: ConfirmationView): Html {
  const { step, id, title, label, lead, fault } = view;
  const content = html`${fault && note('bad', fault)}<input type="hidden" name="id" value="${id}">${submit(label)}`;
  return formPage(view, title, step, content, lead);
}
