import { type Html, html } from '../../../pages/html.ts';
import { formPage, rowLink } from '../../parts/form-parts.ts';
import { section, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, fillPath, form, type Page, type RefusedForm } from '../../route.ts';

const PATH = '/directory/users/:userId';
const API_PATH = '/users/:userId/mfa-verifications';

const NAMES = { Totp: 'Authenticator app', WebAuthn: 'Passkey', BackupCode: 'Backup codes' };

type AtUser = ConsoleRequest<{ userId: string }>;

const here = ({ params }: AtUser): string => fillPath(PATH, params);

const readFactors = async ({ perform }: AtUser) => (await perform(`GET ${API_PATH}`)).value;

/** The user's second factors. Support staff remove lost ones here. */
export async function factorSection(request: AtUser): Promise<Html> {
  const path = (id: string) => `${here(request)}/factors/${id}/delete`;
  const rows = table({
    caption: 'Second factors',
    rows: await readFactors(request),
    empty: 'No second factors. The user signs in without one.',
    columns: [
      { label: 'Factor', cell: ({ type }) => NAMES[type] },
      { label: 'Added', cell: ({ createdAt }) => when(createdAt, request.now) },
      { label: 'Last used', cell: ({ lastUsedAt }) => when(lastUsedAt, request.now) },
      { label: '', cell: ({ id, type }) => rowLink(request, path(id), 'Remove', NAMES[type]) },
    ],
  });
  return section('Second factors', rows);
}

type AtFactor = ConsoleRequest<{ userId: string; verificationId: string }>;

async function showRemove(request: AtFactor, refused?: RefusedForm): Promise<Page> {
  const factor = (await readFactors(request)).find(({ id }) => id === request.params.verificationId);
  const name = factor ? NAMES[factor.type].toLowerCase() : 'second factor';
  return formPage(request, refused, {
    title: `Remove ${name}`,
    back: { path: here(request), label: 'User' },
    content: html`<p>The user can no longer sign in with this factor. Make sure that the request really comes from the user. This can’t be undone.</p>`,
    submit: 'Remove factor',
    kind: 'danger',
  });
}

async function remove(request: AtFactor) {
  await request.perform(`DELETE ${API_PATH}/:verificationId`);
  return { to: here(request), flash: { text: 'Second factor removed.' } };
}

export const factorRoutes = [
  form(`${PATH}/factors/:verificationId/delete`, showRemove, remove, `DELETE ${API_PATH}/:verificationId`),
];
