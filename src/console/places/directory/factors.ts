import { type Html, html } from '../../../pages/html.ts';
import { filled } from '../../entities/entity-pages.ts';
import { faultsOf } from '../../parts/faults.ts';
import { formOf } from '../../parts/form-parts.ts';
import { section, table, when } from '../../parts/parts.ts';
import { type Attempt, form, type Page, type Visit } from '../../route.ts';

const OF = '/directory/users/:userId';
const ROW = '/users/:userId/mfa-verifications';

interface Factor {
  id: string;
  type: 'Totp' | 'WebAuthn' | 'BackupCode';
  createdAt: number;
  lastUsedAt: number | null;
}

const NAMES = { Totp: 'Authenticator app', WebAuthn: 'Passkey', BackupCode: 'Backup codes' };

const read = async ({ perform, params }: Visit): Promise<Factor[]> =>
  (await perform<Factor[]>(`GET ${ROW}`, { params })).value;

/** Second factors: for whoever helps a person who has lost theirs. */
export async function factorSection(visit: Visit): Promise<Html> {
  const rows = table({
    caption: 'Second factors',
    rows: await read(visit),
    empty: 'This person signs in without a second factor.',
    columns: [
      { label: 'Factor', cell: ({ type }) => NAMES[type] },
      { label: 'Added', cell: ({ createdAt }) => when(createdAt, visit.now) },
      { label: 'Last used', cell: ({ lastUsedAt }) => when(lastUsedAt, visit.now) },
      {
        label: '',
        cell: ({ id, type }) =>
          html`<div class="row-actions"><a class="button compact" href="${visit.to(`${filled(OF, visit.params)}/factors/${id}/delete`)}">Remove<span class="unseen"> ${NAMES[type]}</span></a></div>`,
      },
    ],
  });
  return section('Second factors', rows);
}

async function showRemove(visit: Visit, attempt?: Attempt): Promise<Page> {
  const factor = (await read(visit)).find(({ id }) => id === visit.params.verificationId);
  const name = factor ? NAMES[factor.type] : 'second factor';
  const here = filled(OF, visit.params);
  return {
    title: `Remove ${name}`,
    back: { path: here, label: 'Back' },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>This person then signs in without it. Remove it only when you know who asks. This cannot be undone.</p>`,
      submit: `Remove ${name}`,
      kind: 'danger',
      cancel: here,
      faults: faultsOf(attempt),
    }),
  };
}

async function remove({ perform, params }: Visit) {
  await perform(`DELETE ${ROW}/:verificationId`, { params });
  return { to: filled(OF, params), flash: { text: 'The second factor was removed.' } };
}

export const factorRoutes = [form(`${OF}/factors/:verificationId/delete`, showRemove, remove)];
