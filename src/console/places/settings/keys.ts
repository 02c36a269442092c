import { html } from '../../../pages/html.ts';
import { bodyOf, fieldsOf, type ThingField } from '../../entities/entity-fields.ts';
import { faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { copyable, section, state, table, when } from '../../parts/parts.ts';
import { type Attempt, form, type Page, page, type Visit } from '../../route.ts';

interface Key {
  id: string;
  signingKeyAlgorithm: string;
  state: 'next' | 'current' | 'previous';
  createdAt: number;
  retireAt: number | null;
}

const PATH = '/settings/keys';

const STATES = {
  current: state('ok', 'Signs'),
  next: state('info', 'Published, signs soon'),
  previous: state('off', 'Published, no longer signs'),
};

const ALGORITHMS = [
  ['', 'As the key that signs now'],
  ['ES256', 'ES256'],
  ['ES384', 'ES384'],
  ['RS256', 'RS256'],
  ['EdDSA', 'EdDSA'],
] as const;

const ROTATION: ThingField[] = [
  {
    name: 'rotationDays',
    label: 'Replace keys after this many days',
    isOptional: true,
    hint: 'Empty: as the service is configured.',
  },
];

const readKeys = async ({ perform }: Visit): Promise<Key[]> =>
  (await perform<Key[]>('GET /configs/oidc/private-keys')).value;

async function showKeys(visit: Visit): Promise<Page> {
  const { value: rotation } = await visit.perform('GET /configs/oidc/key-rotation');
  const rows = table({
    caption: 'Signing keys, the one that signs first',
    rows: await readKeys(visit),
    empty: 'There is no key.',
    columns: [
      { label: 'Key id', cell: ({ id }) => copyable(id) },
      { label: 'State', cell: (key) => STATES[key.state] },
      { label: 'Algorithm', cell: ({ signingKeyAlgorithm }) => signingKeyAlgorithm },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, visit.now) },
      { label: 'Goes', cell: ({ retireAt }) => (retireAt === null ? '' : when(retireAt, visit.now)) },
      {
        label: '',
        cell: ({ id, state }) =>
          state !== 'current' &&
          html`<div class="row-actions"><a class="button compact" href="${visit.to(`${PATH}/${id}/delete`)}">Delete<span class="unseen"> ${id}</span></a></div>`,
      },
    ],
  });
  return {
    title: 'Signing keys',
    lead: 'Tokens of this tenant are signed with them; their public parts stand in its JWKS.',
    actions: html`<a class="button primary" href="${visit.to(`${PATH}/rotate`)}">Rotate</a>`,
    content: html`<div id="keys-list" data-live>${rows}</div>
${section(
  'Schedule',
  html`<p>${rotation.rotationDays ? `Keys are replaced after ${rotation.rotationDays} days.` : 'Keys are replaced as the service is configured.'}</p>`,
  {
    actions: html`<a class="button compact" href="${visit.to(`${PATH}/schedule`)}">Change</a>`,
  },
)}`,
    live: ['signingKeys'],
  };
}

async function showRotate(visit: Visit, attempt?: Attempt): Promise<Page> {
  const keys = await readKeys(visit);
  const isUnderWay = keys.some(({ state }) => state === 'next');
  const content = html`<p>${isUnderWay ? 'A key is published already. This lets it sign now.' : 'This publishes a new key. It signs five minutes later, when every resource server can have read it.'} What it replaces stays published until its last token is over.</p>
${field({ name: 'signingKeyAlgorithm', label: 'Algorithm', options: ALGORITHMS, value: attempt?.typed.get('signingKeyAlgorithm') ?? '' })}
<div class="field"><label class="box"><input type="checkbox" name="immediately" value="true" aria-describedby="immediately-hint"> <span>Sign with a new key at once</span></label><p class="hint" id="immediately-hint">For a key that has leaked. Resource servers refuse new tokens until they read the JWKS again.</p></div>`;
  return {
    title: 'Rotate signing keys',
    back: { path: PATH, label: 'Signing keys' },
    content: formOf(visit, { path: visit.path, content, submit: 'Rotate', cancel: PATH, faults: faultsOf(attempt) }),
  };
}

async function rotate({ perform, sent }: Visit) {
  const signingKeyAlgorithm = sent.get('signingKeyAlgorithm');
  const body = {
    ...(signingKeyAlgorithm && { signingKeyAlgorithm }),
    ...(sent.get('immediately') === 'true' && { immediately: true }),
  };
  await perform('POST /configs/oidc/private-keys/rotate', { body });
  return { to: PATH, flash: { text: 'The next step of the rotation was taken.' } };
}

const showDelete = (visit: Visit, attempt?: Attempt): Page => ({
  title: `Delete key ${visit.params.keyId}`,
  back: { path: PATH, label: 'Signing keys' },
  content: formOf(visit, {
    path: visit.path,
    content: html`<p>Every token that it signed is no longer valid. This cannot be undone.</p>`,
    submit: 'Delete key',
    kind: 'danger',
    cancel: PATH,
    faults: faultsOf(attempt),
  }),
});

async function deleteKey({ perform, params }: Visit) {
  await perform('DELETE /configs/oidc/private-keys/:keyId', { params });
  return { to: PATH, flash: { text: 'The key was deleted.' } };
}

async function showSchedule(visit: Visit, attempt?: Attempt): Promise<Page> {
  const { value } = await visit.perform('GET /configs/oidc/key-rotation');
  const content = fieldsOf(ROTATION, value, attempt);
  return {
    title: 'Schedule of rotation',
    back: { path: PATH, label: 'Signing keys' },
    content: formOf(visit, { path: visit.path, content, submit: 'Save', cancel: PATH, faults: faultsOf(attempt) }),
  };
}

async function setSchedule({ perform, sent }: Visit) {
  const { rotationDays } = bodyOf(ROTATION, sent, false);
  const body = { rotationDays: rotationDays === null ? null : Number(rotationDays) };
  await perform('PATCH /configs/oidc/key-rotation', { body });
  return { to: PATH, flash: { text: 'Saved.' } };
}

export const keyRoutes = [
  page(PATH, showKeys),
  form(`${PATH}/rotate`, showRotate, rotate),
  form(`${PATH}/schedule`, showSchedule, setSchedule),
  form(`${PATH}/:keyId/delete`, showDelete, deleteKey),
];
