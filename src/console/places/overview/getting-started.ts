import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { buttonForm } from '../../parts/form-parts.ts';
import { action, type ConsoleRequest, type Page, type Redirect, type Route } from '../../route.ts';

type Step = keyof Result<'GET /configs/getting-started'>['steps'] | 'administrator';

/** The steps in order: what to do, where, and how the page knows that it is done. */
const STEPS: readonly { step: Step; title: string; hint: string; path: string }[] = [
  {
    step: 'application',
    title: 'Create an application',
    hint: 'Users sign in to it.',
    path: '/directory/applications/new',
  },
  {
    step: 'signIn',
    title: 'Sign in to it for the first time',
    hint: 'The application’s page has code to start from.',
    path: '/directory/applications',
  },
  {
    step: 'role',
    title: 'Create a resource and a role with a scope of it',
    hint: 'The resource is your API. The role decides what a user may do there.',
    path: '/directory/resources/new',
  },
  {
    step: 'impersonation',
    title: 'Act as a user',
    hint: 'An application that may exchange tokens turns the subject token into an access token.',
    path: '/impersonations/new',
  },
  {
    step: 'webhook',
    title: 'Create a webhook',
    hint: 'Your server learns about changes, such as a new user.',
    path: '/webhooks/new',
  },
  {
    step: 'script',
    title: 'Write a claims script',
    hint: 'It adds your own claims to access tokens.',
    path: '/claims/access-token',
  },
  {
    step: 'administrator',
    title: 'Add a second administrator',
    hint: 'So that you can’t be locked out.',
    path: '/settings/administrators',
  },
];

const HIDE = '/overview/getting-started/hide';
const HIDING = 'PATCH /configs/getting-started';
const SHOW = '/overview/getting-started/show';

/** The checklist of a new tenant; false once every step is done, or if it was hidden. */
export async function gettingStarted(request: ConsoleRequest): Promise<Html | false> {
  const { isHidden, steps } = (await request.perform('GET /configs/getting-started')).value;
  if (isHidden) return false;
  const isDone = { ...steps, administrator: (await request.rights.list()).length > 1 };
  const done = STEPS.filter(({ step }) => isDone[step]).length;
  if (done === STEPS.length) return false;
  const items = STEPS.map(({ step, title, hint, path }) =>
    isDone[step]
      ? html`<li class="done"><span class="unseen">Done: </span>${title}</li>`
      : html`<li><a href="${request.to(path)}">${title}</a><span class="quiet">${hint}</span></li>`,
  );
  return html`<section class="checklist" aria-labelledby="checklist-title"><div class="row"><h2 id="checklist-title">Getting started</h2>${buttonForm(request, HIDE, 'Hide')}</div>
<p class="quiet">${done} of ${STEPS.length} steps done.</p>
<ol>${items}</ol></section>`;
}

/** Hides the checklist, or shows it again. The page that renders an error is the overview. */
export const gettingStartedActions = (show: (request: ConsoleRequest) => Promise<Page>): Route[] => {
  const set =
    (isHidden: boolean) =>
    async (request: ConsoleRequest): Promise<Redirect> => {
      await request.perform(HIDING, { body: { isHidden } });
      if (!isHidden) return { to: '/overview' };
      return { to: '/overview', flash: { text: 'Checklist hidden.', undo: { path: SHOW } } };
    };
  return [action(HIDE, show, set(true), HIDING), action(SHOW, show, set(false), HIDING)];
};
