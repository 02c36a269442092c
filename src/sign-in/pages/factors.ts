import { renderSVG } from 'uqr';
import { csrfField, type Html, html, trusted } from '../../pages/html.ts';
import type { FactorType } from '../settings.ts';
import { type FormView, layout } from './layout.ts';
import { codeField, field, form, note, submit } from './parts.ts';

/** A link to another factor: `?factor=Totp`. */
const factorLink = ({ action }: FormView, type: FactorType, label: string): Html =>
  html`<a href="${action}?factor=${type}">${label}</a>`;

interface ChallengeView extends FormView {
  /** The other factors that the user has. */
  others: FactorType[];
}

const others = (view: ChallengeView): Html | false =>
  view.others.length > 0 &&
  html`<div class="links">${view.others.map((type) => factorLink(view, type, view.t.mfa.use[type]))}</div>`;

export function totpPage(view: ChallengeView): Html {
  const { t, fault } = view;
  const content = html`${form(view, 'mfa/totp', html`${codeField(t, t.mfa.totpLabel, fault)}${submit(t.common.continue)}`)}
${others(view)}`;
  return layout(view, t.mfa.title, content, { lead: t.mfa.totpLead });
}

export function backupCodePage(view: ChallengeView): Html {
  const { t, fault } = view;
  const code = field(t, {
    name: 'code',
    label: t.mfa.backupLabel,
    autocomplete: 'off',
    isCode: true,
    maxlength: 32,
    fault,
  });
  const content = html`${form(view, 'mfa/backup', html`${code}${submit(t.common.continue)}`)}
${others(view)}`;
  return layout(view, t.mfa.title, content, { lead: t.mfa.backupLead });
}

/** The only form that needs JavaScript, because WebAuthn does. */
const passkeyForm = (
  { action, csrf, t, fault }: FormView,
  step: string,
  kind: 'create' | 'get',
  options: unknown,
  label: string,
): Html =>
  html`<form class="stack" method="post" action="${action}/${step}" data-passkey="${JSON.stringify(options)}" data-kind="${kind}">
${csrfField(csrf)}<input type="hidden" name="response" value="">
<p class="note bad" role="alert" data-failed${!fault && html` hidden`}>${fault ?? t.mfa.passkeyFailed}</p>
<noscript>${note('warn', t.mfa.noScript)}</noscript>
${submit(label)}
</form>`;

export function passkeyPage(view: ChallengeView & { options: unknown }): Html {
  const { t, options } = view;
  const content = html`${passkeyForm(view, 'mfa/passkey', 'get', options, t.mfa.passkeySubmit)}${others(view)}`;
  return layout(view, t.mfa.title, content, { lead: t.mfa.passkeyLead });
}

/** `back`: path of the page to choose another method, if there is one. */
interface EnrolView extends FormView {
  back: string | undefined;
}

const chooseOther = ({ t, back }: EnrolView): Html | false =>
  back !== undefined && html`<div class="links"><a href="${back}">${t.enrol.other}</a></div>`;

export function chooseFactorPage(view: FormView & { factors: FactorType[] }): Html {
  const { t, factors } = view;
  const choices = factors.map(
    (type) => html`<li><div><p class="label">${t.enrol.names[type]}</p><p class="hint">${t.enrol.about[type]}</p></div>
<a class="button compact" href="${view.action}?factor=${type}" aria-label="${t.account.add}: ${t.enrol.names[type]}">${t.account.add}</a></li>`,
  );
  return layout(view, t.enrol.title, html`<ul class="list">${choices}</ul>`, { lead: t.enrol.lead });
}

/** Groups four characters, so that the key is easier to type. */
const grouped = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(' ');

export function enrolTotpPage(view: EnrolView & { secret: string; uri: string }): Html {
  const { t, fault, secret, uri } = view;
  const content = html`<div class="qr" role="img" aria-label="${t.enrol.totpQr}">${trusted(renderSVG(uri, { border: 0 }))}</div>
<div class="tight"><p class="label">${t.enrol.totpKey}</p><p class="mono">${grouped(secret)}</p></div>
${form(view, 'enrol/totp', html`${codeField(t, t.enrol.totpLabel, fault)}${submit(t.enrol.totpSubmit)}`)}
${chooseOther(view)}`;
  return layout(view, t.enrol.totpTitle, content, { lead: t.enrol.totpScan });
}

export function enrolPasskeyPage(view: EnrolView & { options: unknown }): Html {
  const { t, options } = view;
  const content = html`${passkeyForm(view, 'enrol/passkey', 'create', options, t.enrol.passkeySubmit)}${chooseOther(view)}`;
  return layout(view, t.enrol.passkeyTitle, content, { lead: t.enrol.passkeyLead });
}

export function backupCodesPage(view: EnrolView & { codes: string[] }): Html {
  const { t, codes } = view;
  const content = html`<ul class="codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<button type="button" class="button wide" hidden data-copy="${codes.join('\n')}" data-copied="${t.common.copied}">${t.common.copy}</button>
${form(view, 'enrol/backup', submit(t.enrol.backupSubmit))}`;
  return layout(view, t.enrol.backupTitle, content, { lead: t.enrol.backupLead });
}
