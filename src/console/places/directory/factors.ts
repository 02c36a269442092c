import { type Html, html } from '../../../pages/html.ts';
import { fillPath } from '../../entities/entity-pages.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { section, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type RefusedForm } from '../../route.ts';

const PATH = '/directory/users/:userId';
const API_PATH = '/users/:userId/mfa-verifications';

interface Factor {
  id: string;
  type: 'Totp' | 'WebAuthn' | 'BackupCode';
  createdAt: number;
  lastUsedAt: number | null;
}

const NAMES = { Totp: 'Authenticator app', WebAuthn: 'Passkey', BackupCode: 'Backup codes' };

const readFactors = async ({ perform, params }: ConsoleRequest): Promise<Factor[]> =>
  (await perform<Factor[]>(`GET ${API_PATH}`, { params })).value;

/** The user's second factors. Support staff remove lost ones here. */
export async function factorSection(request: ConsoleRequest): Promise<Html> {
  const rows = table({
    caption: 'Second factors',
    rows: await readFactors(request),
    empty: 'No second factors. The user signs in without one.',
    columns: [
      { label: 'Factor', cell: ({ type }) => NAMES[type] },
      { label: 'Added', cell: ({ createdAt }) => when(createdAt, request.now) },
      { label: 'Last used', cell: ({ lastUsedAt }) => when(lastUsedAt, request.now) },
      {
        label: '',
        cell: ({ id, type }) =>
          html`<div class="row-actions"><a class="button compact" href="${request.to(`${fillPath(PATH, request.params)}/factors/${id}/delete`)}">Remove<span class="unseen"> ${NAMES[type]}</span></a></div>`,
      },
    ],
  });
  return section('Second factors', rows);
}

async function showRemove(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const factor = (await readFactors(request)).find(({ id }) => id === request.params.verificationId);
  const name = factor ? NAMES[factor.type].toLowerCase() : 'second factor';
  const here = fillPath(PATH, request.params);
  return {
    title: `Remove ${name}`,
    back: { path: here, label: 'User' },
    content: formOf(request, {
      path: request.path,
      content: html`<p>The user can no longer sign in with this factor. Make sure that the request really comes from the user. This can’t be undone.</p>`,
      submit: 'Remove factor',
      kind: 'danger',
      cancel: here,
      faults: faultsOf(refused),
    }),
  };
}

async function remove({ perform, params }: ConsoleRequest) {
  await perform(`DELETE ${API_PATH}/:verificationId`, { params });
  return { to: fillPath(PATH, params), flash: { text: 'Second factor removed.' } };
}

export const factorRoutes = [form(`${PATH}/factors/:verificationId/delete`, showRemove, remove)];
