import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { sendPage } from '../../pages/send.ts';
import { allowedIdentifiers, complete, type Missing, missingOf } from '../actions.ts';
import { loginOf } from '../interaction/authentication-methods.ts';
import { type Flow, progressOf, saveProgress } from '../interaction/flow.ts';
import { rememberBrowser } from '../interaction/known-browsers.ts';
import { csrfOf, dropEndedSession, type Interaction, parameterOf } from '../interaction/open-flow.ts';
import { findProgress } from '../interaction/progress.ts';
import { preferencesOf } from '../pages/language.ts';
import { type FormView, viewOf } from '../pages/layout.ts';
import { type SocialChoice, singleSignOnPage } from '../pages/sign-in.ts';
import { offeredConnectors } from '../proofs/connectors.ts';
import { faultText } from './fault-text.ts';
import type { FormAction, FormBody } from './forms.ts';
import { type StepInput, stepPage } from './steps.ts';

/** An open request of an interaction. */
export interface OpenInteraction {
  request: Request;
  response: Response;
  provider: Provider;
  interaction: Interaction;
  flow: Flow;
}

/** Returns the fields of the form. A field that was sent more than once is dropped. */
export function bodyOf({ request }: { request: Request }): FormBody {
  const fields = Object.entries((request.body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

export function formViewOf({ flow, interaction, request }: OpenInteraction): FormView {
  const uiLocales = parameterOf(interaction, 'ui_locales');
  const view = viewOf(flow.tenant, flow.settings, { ...preferencesOf(request, flow.tenant), uiLocales });
  return { ...view, action: `${view.base}/sign-in/${flow.uid}`, csrf: csrfOf(interaction), fault: undefined };
}

const redirectToStep = ({ flow, response }: OpenInteraction, next = ''): void =>
  response.redirect(303, `${flow.tenant.path}/sign-in/${flow.uid}${next}`);

/** Runs the action of a form, then shows the next step, or the same one with the reason of the refusal. */
export async function submitStep(opened: OpenInteraction, act: FormAction): Promise<void> {
  try {
    if (opened.flow.saved.finishedAt !== null) return await proceed(opened, '');
    const next = await act(opened.flow, bodyOf(opened), formViewOf(opened).t);
    await proceed(opened, typeof next === 'string' ? next : '');
  } catch (error) {
    await showFault(opened, error);
  }
}

/** Continues with the next step, or completes the interaction when nothing is missing. */
async function proceed(opened: OpenInteraction, next: string): Promise<void> {
  const { flow } = opened;
  if (flow.saved.finishedAt !== null || (await missingOf(flow)) === undefined) return finish(opened);
  await saveProgress(flow);
  redirectToStep(opened, next);
}

/**
 * Completes the interaction and returns to the application. A second request of a finished interaction returns there
 * too, without recording events again.
 */
async function finish(opened: OpenInteraction): Promise<void> {
  const { flow, provider, interaction, request, response } = opened;
  if (flow.saved.finishedAt === null) await complete(flow);
  const progress = progressOf(flow);
  // A reset is complete, and a sign-in follows it.
  if (flow.saved.finishedAt === null || progress.userId === undefined) {
    await dropEndedSession(interaction, flow);
    return redirectToStep(opened);
  }
  await rememberBrowser(response, flow, progress.userId);
  const login = loginOf(progress, progress.userId);
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
}

/** Shows the current step; completes the interaction when nothing is missing. */
export async function showStep(opened: OpenInteraction): Promise<void> {
  const { flow, response } = opened;
  const missing = flow.saved.finishedAt === null ? await missingOf(flow) : undefined;
  if (missing === undefined) return finish(opened);
  const before = JSON.stringify(flow.saved.progress);
  const html = await render(opened, missing, undefined);
  // A page may start what its form finishes: the challenge of a passkey, the secret of a new factor.
  if (JSON.stringify(flow.saved.progress) !== before) await saveProgress(flow);
  sendPage(response, 200, html);
}

/** Shows the same step again with the reason of the refusal and the text that was entered. Rethrows any other error. */
export async function showFault(opened: OpenInteraction, error: unknown): Promise<void> {
  if (!(error instanceof ServiceError)) throw error;
  const { flow, response } = opened;
  flow.tools.onOutcome?.(progressOf(flow).event, error.code);
  const saved = await findProgress(flow, flow.uid);
  // The form was sent twice and the other request went on, so this one continues there too.
  if (saved?.version !== flow.saved.version) return redirectToStep(opened);
  if (error.code === 'session.sso_required') {
    // Links to the identity provider of the user's organization, the only allowed sign-in method.
    const page = singleSignOnPage(formViewOf(opened), error.data as unknown as SocialChoice);
    return sendPage(response, error.status, page);
  }
  flow.saved.progress = saved.progress;
  const missing = await missingOf(flow);
  if (missing === undefined) throw error;
  const { t } = formViewOf(opened);
  response.set(error.headers);
  const text = await faultText(flow, t, error, {
    identifiers: missing.what === 'profile' ? missing.identifiers.slice(0, 1) : allowedIdentifiers(flow),
    target: opened.request.params.target,
    factor: queryOf(opened).factor,
  });
  sendPage(response, error.status, await render(opened, missing, text));
}

/** The query of the page whose form was refused, so that the same page is shown again. */
const QUERY_OF_FORM: Record<string, StepInput['query']> = {
  identifier: { change: '' },
  profile: { change: '' },
  password: { password: '' },
  'mfa/totp': { factor: 'Totp' },
  'mfa/passkey': { factor: 'WebAuthn' },
  'mfa/backup': { factor: 'BackupCode' },
  'enrol/totp': { factor: 'Totp' },
  'enrol/passkey': { factor: 'WebAuthn' },
  'enrol/backup': { factor: 'BackupCode' },
};

const queryOf = ({ request, flow }: OpenInteraction): StepInput['query'] =>
  QUERY_OF_FORM[request.path.slice(`/sign-in/${flow.uid}/`.length)] ?? request.query;

async function render(opened: OpenInteraction, missing: Missing, fault: string | undefined) {
  const { flow, interaction } = opened;
  const input: StepInput = {
    typed: bodyOf(opened).identifier,
    loginHint: parameterOf(interaction, 'login_hint'),
    query: queryOf(opened),
    social: missing.what === 'identification' ? await offeredConnectors(flow.store) : [],
  };
  return stepPage(flow, missing, { ...formViewOf(opened), fault }, input);
}
