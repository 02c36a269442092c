import { MINUTE_MS } from '../../../base/times.ts';
import { html } from '../../../pages/html.ts';
import type { Body } from '../../api.ts';
import { bodyOf, type EntityField, fieldsOf, keepChangesOf } from '../../entities/entity-fields.ts';
import { buttonLink, field, formPage, rowLink, tick } from '../../parts/form-parts.ts';
import { copyable, duration, section, state, table, when } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, page, type RefusedForm } from '../../route.ts';

const PATH = '/settings/keys';

const STATES = {
  current: state('ok', 'Signing'),
  next: state('info', 'Published, not signing yet'),
  previous: state('off', 'Published, no longer signing'),
};

const ALGORITHMS = [
  ['', 'Same as the current key'],
  ['ES256', 'ES256'],
  ['ES384', 'ES384'],
  ['RS256', 'RS256'],
  ['EdDSA', 'EdDSA'],
] as const;

/** The schedule in words: "Keys are rotated every 90 days." */
const scheduleOf = (days: number | null | undefined): string =>
  days ? `Keys are rotated every ${duration(days * 86_400)}.` : 'Keys are not rotated automatically.';

const rotationFields = ({ settings }: ConsoleRequest): EntityField<Body<'PATCH /configs/oidc/key-rotation'>>[] => [
  {
    name: 'rotationDays',
    label: 'Rotation interval, in days',
    isOptional: true,
    hint: `Leave empty for the default of the service: ${scheduleOf(settings.keyRotationDays)}`,
  },
];

const readKeys = async ({ perform }: ConsoleRequest) => (await perform('GET /configs/oidc/private-keys')).value;

async function showKeys(request: ConsoleRequest): Promise<Page> {
  const { value: rotation } = await request.perform('GET /configs/oidc/key-rotation');
  const schedule = scheduleOf(rotation.rotationDays ?? request.settings.keyRotationDays);
  const rows = table({
    caption: 'Signing keys, current key first',
    rows: await readKeys(request),
    empty: 'No signing keys yet.',
    columns: [
      { label: 'Key ID', cell: ({ id }) => copyable(id) },
      { label: 'Status', cell: (key) => STATES[key.state] },
      { label: 'Algorithm', cell: ({ signingKeyAlgorithm }) => signingKeyAlgorithm },
      { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
      { label: 'Removal', cell: ({ retireAt }) => (retireAt === null ? '' : when(retireAt, request.now)) },
      {
        label: '',
        cell: ({ id, state }) => state !== 'current' && rowLink(request, `${PATH}/${id}/delete`, 'Delete', id),
      },
    ],
  });
  return {
    title: 'Signing keys',
    lead: 'Keys that sign the tokens of this tenant. Their public parts are published in its JWKS.',
    actions: html`${buttonLink(request, `${PATH}/rotate`, 'Rotate keys', 'primary')}`,
    content: html`<div id="keys-list" data-live>${rows}</div>
${section('Automatic rotation', html`<p>${schedule}</p>`, {
  actions: buttonLink(request, `${PATH}/schedule`, 'Edit schedule', 'compact'),
})}`,
    live: ['signingKeys'],
  };
}

const publishedFor = ({ settings }: ConsoleRequest): string =>
  `about ${duration(Math.round(settings.keyPublishedMs / MINUTE_MS) * 60)}`;

async function showRotate(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const keys = await readKeys(request);
  const isUnderWay = keys.some(({ state }) => state === 'next');
  const content = html`<p>${isUnderWay ? 'A new key is already published. Rotating again starts signing with it now.' : `A new key is published. It starts signing after ${publishedFor(request)}, once resource servers have fetched it.`} The old key stays published until its last token has expired.</p>
${field({ name: 'signingKeyAlgorithm', label: 'Algorithm', options: ALGORITHMS, value: refused?.values.get('signingKeyAlgorithm') ?? '' })}
${tick('immediately', 'Sign with a new key immediately', 'For a leaked key. Resource servers reject new tokens until they fetch the JWKS again.', refused?.values.get('immediately') === 'true')}`;
  return formPage(request, refused, {
    title: 'Rotate signing keys',
    back: { path: PATH, label: 'Signing keys' },
    content,
    submit: 'Rotate keys',
  });
}

async function rotate(request: ConsoleRequest) {
  const { perform, submitted } = request;
  const signingKeyAlgorithm = submitted.get('signingKeyAlgorithm');
  const body = {
    ...(signingKeyAlgorithm && { signingKeyAlgorithm }),
    ...(submitted.get('immediately') === 'true' && { immediately: true }),
  };
  const { value: keys } = await perform('POST /configs/oidc/private-keys/rotate', { body });
  const text = keys.some(({ state }) => state === 'next')
    ? `New key published. It starts signing after ${publishedFor(request)}.`
    : 'The new key is now signing.';
  return { to: PATH, flash: { text } };
}

type AtKey = ConsoleRequest<{ keyId: string }>;

const showDelete = (request: AtKey, refused?: RefusedForm): Page =>
  formPage(request, refused, {
    title: `Delete key ${request.params.keyId}`,
    back: { path: PATH, label: 'Signing keys' },
    content: html`<p>Every token signed with it becomes invalid. This can’t be undone.</p>`,
    submit: 'Delete key',
    kind: 'danger',
  });

async function deleteKey({ perform }: AtKey) {
  await perform('DELETE /configs/oidc/private-keys/:keyId');
  return { to: PATH, flash: { text: 'Key deleted.' } };
}

async function showSchedule(request: ConsoleRequest, refused?: RefusedForm): Promise<Page> {
  const { value } = await request.perform('GET /configs/oidc/key-rotation');
  return formPage(request, refused, {
    title: 'Edit rotation schedule',
    back: { path: PATH, label: 'Signing keys' },
    content: fieldsOf(rotationFields(request), value, refused),
    submit: 'Save schedule',
  });
}

async function setSchedule(request: ConsoleRequest) {
  const { perform, submitted } = request;
  const { value: stored } = await perform('GET /configs/oidc/key-rotation');
  await keepChangesOf(request, 'PATCH /configs/oidc/key-rotation', rotationFields(request), stored);
  const { rotationDays } = bodyOf(rotationFields(request), submitted, false);
  const body = { rotationDays: rotationDays === null ? null : Number(rotationDays) };
  await perform('PATCH /configs/oidc/key-rotation', { body });
  return { to: PATH, flash: { text: 'Schedule saved.' } };
}

export const keyRoutes = [
  page(PATH, showKeys),
  form(`${PATH}/rotate`, showRotate, rotate, 'POST /configs/oidc/private-keys/rotate'),
  form(`${PATH}/schedule`, showSchedule, setSchedule, 'PATCH /configs/oidc/key-rotation'),
  form(`${PATH}/:keyId/delete`, showDelete, deleteKey, 'DELETE /configs/oidc/private-keys/:keyId'),
];
