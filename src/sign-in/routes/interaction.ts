import type { Request, Response } from 'express';
import type { Provider } from 'oidc-provider';
import { ServiceError } from '../../errors.ts';
import { complete, type Missing, missingOf } from '../actions.ts';
import { loginOf } from '../interaction/authentication-methods.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import { rememberBrowser } from '../interaction/known-browsers.ts';
import { csrfTokenOf, forgetEndedSession, type Interaction, parameterOf } from '../interaction/open-flow.ts';
import { ProgressStore } from '../interaction/progress.ts';
import type { FormView } from '../pages/layout.ts';
import { basePathOf, faultText, sendPage, viewOf } from '../pages/respond.ts';
import { type SocialChoice, singleSignOnPage } from '../pages/sign-in.ts';
import { offeredConnectors } from '../proofs/connectors.ts';
import type { Body, FormAction } from './forms.ts';
import { type Shown, stepPage } from './steps.ts';

/** A request of an interaction, and its answer. */
export interface Opened {
  request: Request;
  response: Response;
  provider: Provider;
  interaction: Interaction;
  flow: Flow;
}

/** Of every field its one value; what is sent twice is taken for absent. */
export function bodyOf({ request }: { request: Request }): Body {
  const fields = Object.entries((request.body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter((field): field is [string, string] => typeof field[1] === 'string'));
}

export function formViewOf({ flow, interaction, request }: Opened): FormView {
  const uiLocales = parameterOf(interaction, 'ui_locales');
  const view = viewOf(flow.tenant, flow.settings, { uiLocales, acceptLanguage: request.headers['accept-language'] });
  return { ...view, action: `${view.base}/sign-in/${flow.uid}`, csrf: csrfTokenOf(interaction), fault: undefined };
}

const redirectToStep = ({ flow, response }: Opened): void =>
  response.redirect(303, `${basePathOf(flow.tenant)}/sign-in/${flow.uid}`);

const progressStoreOf = ({ store, tools }: Flow): ProgressStore => new ProgressStore(store, tools.secrets);

/** Also of an interaction whose first request this is. */
export async function saveProgress(flow: Flow): Promise<void> {
  const progressStore = progressStoreOf(flow);
  if (flow.saved.version === 0) await progressStore.begin(flow.uid, progressOf(flow), flow.now);
  await progressStore.save(flow.uid, flow.saved);
}

/** One step: what the form does, then the next step, or the same one with what to do about it. */
export async function take(opened: Opened, act: FormAction): Promise<void> {
  try {
    if (opened.flow.saved.finishedAt !== null) return await goOn(opened, '');
    const next = await act(opened.flow, bodyOf(opened), formViewOf(opened).t);
    await goOn(opened, typeof next === 'string' ? next : '');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await showFault(opened, error);
  }
}

/** To the next step, or out of the interaction when nothing is missing. */
async function goOn(opened: Opened, next: string): Promise<void> {
  const { flow, response } = opened;
  if (flow.saved.finishedAt !== null || (await missingOf(flow)) === undefined) return finish(opened);
  await saveProgress(flow);
  response.redirect(303, `${basePathOf(flow.tenant)}/sign-in/${flow.uid}${next}`);
}

/** A second request of a finished interaction is led out as the first was; nothing is announced again. */
async function finish(opened: Opened): Promise<void> {
  const { flow, provider, interaction, request, response } = opened;
  if (flow.saved.finishedAt === null) await complete(flow);
  const progress = progressOf(flow);
  if (progress.userId === undefined) {
    await forgetEndedSession(interaction, flow);
    return redirectToStep(opened);
  }
  await rememberBrowser(response, flow, progress.userId);
  const login = loginOf(progress, progress.userId);
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
}

export async function show(opened: Opened): Promise<void> {
  const { flow, response } = opened;
  const missing = flow.saved.finishedAt === null ? await missingOf(flow) : undefined;
  if (missing === undefined) return finish(opened);
  const before = JSON.stringify(flow.saved.progress);
  const html = await render(opened, missing, undefined);
  // A page may begin what its form ends: the challenge of a passkey, the secret of a new factor.
  if (JSON.stringify(flow.saved.progress) !== before) await saveProgress(flow);
  sendPage(response, 200, html);
}

/** The same step again, saying what to do; what was typed stays. */
export async function showFault(opened: Opened, error: ServiceError): Promise<void> {
  const { flow, response } = opened;
  flow.tools.onOutcome?.(progressOf(flow).event, error.code);
  const saved = await progressStoreOf(flow).find(flow.uid);
  // A form that was sent twice: the other one went on, and that is where this one goes too.
  if (saved?.version !== flow.saved.version) return redirectToStep(opened);
  if (error.code === 'session.sso_required') return showWayOut(opened, error);
  flow.saved.progress = saved.progress;
  const missing = await missingOf(flow);
  if (missing === undefined) throw error;
  const { t } = formViewOf(opened);
  response.set(error.headers);
  sendPage(response, error.status, await render(opened, missing, faultText(t, error)));
}

/** To the provider of the person's organization, where no other way leads in. */
function showWayOut(opened: Opened, { status, data }: ServiceError): void {
  sendPage(opened.response, status, singleSignOnPage(formViewOf(opened), data as unknown as SocialChoice));
}

/** What was chosen on the page whose form was refused, so that the same page is shown again. */
const CHOSEN_FOR: Record<string, Shown['chosen']> = {
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

const chosenOf = ({ request, flow }: Opened): Shown['chosen'] =>
  CHOSEN_FOR[request.path.slice(`/sign-in/${flow.uid}/`.length)] ?? request.query;

async function render(opened: Opened, missing: Missing, fault: string | undefined) {
  const { flow, interaction } = opened;
  const shown: Shown = {
    typed: bodyOf(opened).identifier,
    loginHint: parameterOf(interaction, 'login_hint'),
    chosen: chosenOf(opened),
    social: missing.what === 'identification' ? await offeredConnectors(flow.store) : [],
  };
  return stepPage(flow, missing, { ...formViewOf(opened), fault }, shown);
}
