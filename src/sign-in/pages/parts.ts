import { csrfField, type Html, html } from '../../pages/html.ts';
import type { Texts } from '../texts/index.ts';
import type { FormView } from './layout.ts';

/** A form of the interaction. `step` is the last part of its path. */
export const form = ({ action, csrf }: FormView, step: string, content: Html): Html =>
  html`<form class="stack" method="post" action="${action}/${step}">
${csrfField(csrf)}
${content}
</form>`;

/** A form with only a button that looks like a link. */
export const linkForm = ({ action, csrf }: FormView, step: string, label: string): Html =>
  html`<form method="post" action="${action}/${step}">${csrfField(csrf)}<button class="link">${label}</button></form>`;

export const submit = (label: string): Html => html`<button class="button primary wide">${label}</button>`;

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'tel' | 'password';
  autocomplete: string;
  inputmode?: 'text' | 'email' | 'tel' | 'numeric';
  value?: string | undefined;
  hint?: string | undefined;
  fault?: string | undefined;
  isCode?: boolean;
  /** The script submits the form when the field has this many digits. */
  digits?: number;
  isOptional?: boolean;
  /** True if the field is focused when the page loads. */
  hasFocus?: boolean;
  maxlength?: number;
}

/** A field: label, hint, error and input, connected for screen readers. */
export function field(
  t: Texts,
  { name, label, type = 'text', isCode = false, isOptional = false, hasFocus = true, ...rest }: Field,
): Html {
  const { autocomplete, inputmode, value, hint, fault, digits, maxlength = 256 } = rest;
  const about = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  const input = html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxlength}" autocapitalize="none" spellcheck="false"${inputmode && html` inputmode="${inputmode}"`}${value && html` value="${value}"`}${about && html` aria-describedby="${about}"`}${fault && html` aria-invalid="true"`}${isCode && html` class="code"`}${digits && html` data-digits="${digits}"`}${!isOptional && html` required data-empty="${t.common.empty}"`}${hasFocus && html` autofocus`}>`;
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${fault && html`<p class="fault" id="${name}-fault">${fault}</p>`}
${type === 'password' ? revealable(t, name, input) : input}
</div>`;
}

/** The script reveals the button, which does not work without it. */
const revealable = (t: Texts, name: string, input: Html): Html =>
  html`<div class="secret">${input}<button type="button" hidden data-reveal="${name}" data-show="${t.common.show}" data-hide="${t.common.hide}">${t.common.show}</button></div>`;

/** A field for a sent code or one from an app. A pasted code may contain spaces. */
export const codeField = (t: Texts, label: string, fault: string | undefined, digits = 6): Html =>
  field(t, {
    name: 'code',
    label,
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    isCode: true,
    maxlength: 32,
    digits,
    fault,
  });

/**
 * Shows the identifier with a link to change it. A hidden field elsewhere in the form tells password managers the
 * username.
 */
export const identifierRow = (view: FormView, identifier: string): Html =>
  html`<div class="who"><span>${identifier}</span><a href="${view.action}?change">${view.t.common.change}</a></div>`;

export const note = (kind: 'ok' | 'bad' | 'warn' | 'info', text: string): Html =>
  html`<p class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">${text}</p>`;
