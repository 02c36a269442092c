import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { formPage, rowLink } from '../../parts/form-parts.ts';
import { section, table } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';
import { type AtUser, USER, userPath } from './user-lists.ts';

/** An account at an identity provider with which the user can sign in. */
interface Identity {
  target: string;
  externalId: string;
  /** The name of the account, as the provider stated it. */
  account: string;
  isSso: boolean;
}

type User = Result<'GET /users/:userId'>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function identityOf(target: unknown, id: unknown, details: unknown, isSso: boolean): Identity {
  const { email, name } = (details ?? {}) as Record<string, unknown>;
  const externalId = textOf(id);
  return { target: textOf(target), externalId, account: textOf(email) || textOf(name) || externalId, isSso };
}

function identitiesOf({ identities, ssoIdentities = [] }: User): Identity[] {
  const social = Object.entries(identities as Record<string, { userId: unknown; details: unknown }>);
  return [
    ...social.map(([target, { userId, details }]) => identityOf(target, userId, details, false)),
    ...ssoIdentities.map(({ target, identityId, detail }) => identityOf(target, identityId, detail, true)),
  ];
}

const unlinkPath = (request: AtUser, { target }: Identity): string =>
  `${userPath(request)}/identities/${encodeURIComponent(target)}/unlink`;

export async function identitySection(request: AtUser): Promise<Html> {
  const [{ value: user }, { value: connectors }] = await Promise.all([
    request.perform('GET /users/:userId', { query: { includeSsoIdentities: 'true' } }),
    request.perform('GET /connectors'),
  ]);
  const rows = identitiesOf(user);
  if (rows.length === 0) return section('Linked identities', html`<p class="quiet">No linked identities.</p>`);
  const byTarget = new Map(connectors.map((connector) => [connector.target, connector]));
  const columns = [
    {
      label: 'Connector',
      cell({ target }: Identity) {
        const connector = byTarget.get(target);
        const path = connector && request.to(`/settings/connectors/${connector.id}`);
        return path ? html`<a href="${path}">${connector.name}</a>` : target;
      },
    },
    { label: 'Account', cell: ({ account }: Identity) => account },
    {
      label: 'ID at the provider',
      cell: ({ externalId }: Identity) => html`<span class="mono">${externalId}</span>`,
    },
    { label: 'Kind', cell: ({ isSso }: Identity) => (isSso ? 'Single sign-on' : 'Social sign-in') },
    {
      label: '',
      cell: (one: Identity) => !one.isSso && rowLink(request, unlinkPath(request, one), 'Unlink', one.target),
    },
  ];
  return section('Linked identities', table({ caption: 'Linked identities', rows, empty: '', columns }));
}

type AtIdentity = ConsoleRequest<{ userId: string; target: string }>;

async function showUnlink(request: AtIdentity, refused?: RefusedForm): Promise<Page> {
  await request.perform('GET /users/:userId');
  return formPage(request, refused, {
    title: `Unlink ${request.params.target}`,
    back: { path: userPath(request), label: 'User' },
    content: html`<p>The user can no longer sign in with this account. They can link it again on their account page.</p>`,
    submit: 'Unlink identity',
    kind: 'danger',
  });
}

async function unlink(request: AtIdentity) {
  await request.perform('DELETE /users/:userId/identities/:target');
  return { to: userPath(request), flash: { text: 'Identity unlinked.' } };
}

export const identityRoutes = [
  form(`${USER}/identities/:target/unlink`, showUnlink, unlink, 'DELETE /users/:userId/identities/:target'),
];
