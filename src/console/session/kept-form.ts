import type { Response } from 'express';
import type { SecretBox } from '../../base/secret-box.ts';
import { HOUR_MS } from '../../base/times.ts';
import { html } from '../../pages/html.ts';
import type { Tenant } from '../../tenants.ts';
import { SECRET_FIELD } from '../parts/form-parts.ts';
import { sendPlain } from '../respond.ts';
import { authorOf } from './form-token.ts';
import type { Administrator } from './session.ts';
import { signInUrl } from './sign-in.ts';

/**
 * A form that is sent after its session has ended is kept in the page that says so: sealed for its author and its path. Once
 * the author has signed in again, the page sends it back and gets the form as it was filled in. Nothing is saved until the
 * author presses the button again. It opens for its author only, so another administrator in the same browser sees nothing.
 */

/** Time that a kept form can be opened: a working day. */
const KEPT_MS = 12 * HOUR_MS;

interface KeptForm {
  values: string;
  /** Epoch milliseconds. */
  keptAt: number;
}

/** The form field with a kept form. */
export const KEPT = 'kept';

const purposeOf = (authorId: string, path: string): string => `console-form:${authorId}:${path}`;

function withoutSecrets(submitted: URLSearchParams): URLSearchParams {
  const left = new Set([...submitted.getAll(SECRET_FIELD), SECRET_FIELD, 'csrf']);
  return new URLSearchParams([...submitted].filter(([name]) => !left.has(name)));
}

interface SubmittedForm {
  submitted: URLSearchParams;
  /** Path that it was submitted to, with that of the tenant's endpoint. */
  path: string;
}

interface Keeper {
  secrets: SecretBox;
  now: number;
}

/**
 * Sends the page that keeps the form. A form that names no author is not kept.
 *
 * @param form `to` is the path to return to after the sign-in, below `/console`
 */
export function sendSessionEnded(
  response: Response,
  home: Tenant,
  { submitted, path, to }: SubmittedForm & { to: string },
  { secrets, now }: Keeper,
): void {
  const authorId = authorOf(submitted);
  const kept: KeptForm = { values: withoutSecrets(submitted).toString(), keptAt: now };
  const sealed = submitted.get(KEPT) ?? (authorId && secrets.seal(JSON.stringify(kept), purposeOf(authorId, path)));
  const url = signInUrl(home, to);
  if (!sealed) {
    response.redirect(303, url);
    return;
  }
  sendPlain(
    response,
    401,
    home,
    'Your session has ended',
    html`<p>Nothing was saved. What you entered is kept, except passwords and secrets. Sign in again to continue.</p>
<a class="button primary" href="${url}" target="_blank" data-sign-in>Sign in</a>
<form method="post" action="${path}" class="tight" data-kept="${home.path}/console${to}"><input type="hidden" name="${KEPT}" value="${sealed}"><p class="quiet small">The sign-in opens in a new tab. Return to this tab afterwards.</p><button class="button">Continue</button></form>`,
  );
}

/**
 * Returns the values of a form that this administrator filled in during an earlier session: it was kept, or its page was
 * opened before the session began. Undefined if another administrator did. Call it only for a form without the token of the session.
 */
export function valuesOfEarlierSession(
  administrator: Administrator,
  { submitted, path }: SubmittedForm,
  { secrets, now }: Keeper,
): URLSearchParams | undefined {
  const sealed = submitted.get(KEPT);
  if (sealed !== null) {
    const kept = secrets.openJson<KeptForm>(sealed, purposeOf(administrator.id, path));
    return kept && now < kept.keptAt + KEPT_MS ? new URLSearchParams(kept.values) : undefined;
  }
  return authorOf(submitted) === administrator.id ? withoutSecrets(submitted) : undefined;
}
