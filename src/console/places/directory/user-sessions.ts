import { html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { formPage, rowLink } from '../../parts/form-parts.ts';
import { applicationLink, namesOf } from '../../parts/names.ts';
import { facts, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';
import { listRoute, USER, type UserList, userPath } from './user-lists.ts';

type Session = Result<'GET /users/:userId/sessions/:sessionId'>;
type Grant = Result<'GET /users/:userId/grants'>['grants'][number];

/** Applications named for each session. */
const NAMED_APPLICATIONS = 3;

const PROOFS: Record<string, string> = {
  Password: 'Password',
  EmailVerificationCode: 'Email code',
  PhoneVerificationCode: 'SMS code',
  Totp: 'Authenticator app',
  WebAuthn: 'Passkey',
  BackupCode: 'Backup code',
  Social: 'Social sign-in',
  EnterpriseSso: 'Single sign-on',
};

const proofsOf = ({ lastSubmission }: Session): string =>
  (lastSubmission?.verificationRecords ?? []).map(({ type }) => PROOFS[type] ?? type).join(', ');

const applicationIdsOf = ({ payload: { authorizations = {} } }: Session): string[] => Object.keys(authorizations);
const namedIn = (session: Session): string[] => applicationIdsOf(session).slice(0, NAMED_APPLICATIONS);

export const sessions: UserList<Session> = {
  title: 'Sessions',
  lead: 'Browsers in which the user is signed in.',
  empty: 'No sessions. The user is not signed in anywhere.',
  all: (request) => `${userPath(request)}/sessions`,
  async read({ perform }, query) {
    const { value, total } = await perform('GET /users/:userId/sessions', { query });
    return { rows: value.sessions, total };
  },
  async columns(request, rows) {
    const names = await namesOf(request, { users: [], applications: rows.flatMap(namedIn) });
    const end = ({ payload: { uid } }: Session) => `${userPath(request)}/sessions/${encodeURIComponent(uid)}/end`;
    return [
      { label: 'Signed in', cell: ({ payload: { loginTs } }) => when(loginTs * 1_000, request.now) },
      { label: 'With', cell: proofsOf },
      {
        label: 'Applications',
        cell(session) {
          const more = applicationIdsOf(session).length - NAMED_APPLICATIONS;
          return html`${namedIn(session).map((id) => html`<div>${applicationLink(request, names, id)}</div>`)}${more > 0 && html`<div class="quiet">and ${more} more</div>`}`;
        },
      },
      { label: 'Expires', cell: ({ expiresAt }) => when(expiresAt, request.now) },
      {
        label: '',
        cell: (session) =>
          rowLink(
            request,
            end(session),
            'End',
            `session of ${new Date(session.payload.loginTs * 1_000).toUTCString()}`,
          ),
      },
    ];
  },
};

export const grants: UserList<Grant> = {
  title: 'Grants',
  lead: 'Applications that can get tokens for the user.',
  empty: 'No grants. No application can get tokens for the user.',
  all: (request) => `${userPath(request)}/grants`,
  async read({ perform }, query) {
    const { value, total } = await perform('GET /users/:userId/grants', { query });
    return { rows: value.grants, total };
  },
  columns: (request) => [
    {
      label: 'Application',
      cell: ({ application: { id, name } }) =>
        html`<a href="${request.to(`/directory/applications/${id}`)}">${name}</a>`,
    },
    { label: 'Granted', cell: ({ payload: { iat } }) => when(iat * 1_000, request.now) },
    { label: 'Expires', cell: ({ expiresAt }) => when(expiresAt, request.now) },
    {
      label: '',
      cell: ({ id, application }) =>
        rowLink(
          request,
          `${userPath(request)}/grants/${encodeURIComponent(id)}/end`,
          'End',
          `grant of ${application.name}`,
        ),
    },
  ],
};

type AtSession = ConsoleRequest<{ userId: string; sessionId: string }>;

async function showEndSession(request: AtSession, refused?: RefusedForm): Promise<Page> {
  const { value: session } = await request.perform('GET /users/:userId/sessions/:sessionId');
  return formPage(request, refused, {
    title: 'End session',
    back: { path: userPath(request), label: 'User' },
    content: html`${facts([
      ['Signed in', when(session.payload.loginTs * 1_000, request.now)],
      ['With', proofsOf(session)],
      ['Expires', when(session.expiresAt, request.now)],
    ])}<p>The user is signed out in this browser. Tokens that applications got with this session stop working. This can’t be undone.</p>`,
    submit: 'End session',
    kind: 'danger',
  });
}

async function endSession(request: AtSession) {
  await request.perform('DELETE /users/:userId/sessions/:sessionId');
  return { to: userPath(request), flash: { text: 'Session ended.' } };
}

type AtGrant = ConsoleRequest<{ userId: string; grantId: string }>;

async function showEndGrant(request: AtGrant, refused?: RefusedForm): Promise<Page> {
  await request.perform('GET /users/:userId');
  return formPage(request, refused, {
    title: 'End grant',
    back: { path: userPath(request), label: 'User' },
    content: html`<p>Every token that the application got under this grant stops working. To get new ones, it must send the user to sign in again. This can’t be undone.</p>`,
    submit: 'End grant',
    kind: 'danger',
  });
}

async function endGrant(request: AtGrant) {
  await request.perform('DELETE /users/:userId/grants/:grantId');
  return { to: userPath(request), flash: { text: 'Grant ended.' } };
}

export const sessionRoutes = [
  listRoute(`${USER}/sessions`, sessions),
  listRoute(`${USER}/grants`, grants),
  form(`${USER}/sessions/:sessionId/end`, showEndSession, endSession, 'DELETE /users/:userId/sessions/:sessionId'),
  form(`${USER}/grants/:grantId/end`, showEndGrant, endGrant, 'DELETE /users/:userId/grants/:grantId'),
];
