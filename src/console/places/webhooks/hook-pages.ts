import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, buttonLink, field, formPage } from '../../parts/form-parts.ts';
import { copyable, duration, facts, note, rawJson, section, table, when } from '../../parts/parts.ts';
import { action, type ConsoleRequest, form, type Page, page, type Redirect, type RefusedForm } from '../../route.ts';
import { readFeed } from './delivery-list.ts';
import { deliveryTable } from './delivery-table.ts';
import { failureNote, readHealth, resumeAction, trafficSection } from './health.ts';
import {
  type AtHook,
  eventsOf,
  HOOK,
  type Hook,
  healthOf,
  hookPath,
  NO_RETRIES,
  readHook,
  retryPolicy,
} from './hook.ts';
import { signingSecretsOf } from './hook-form.ts';

/** Number of deliveries on a webhook's page. */
const LATEST_DELIVERIES = 5;

const newHook = (request: ConsoleRequest): Html =>
  html`${buttonLink(request, '/webhooks/new', 'New webhook', 'primary')}`;

async function showHooks(request: ConsoleRequest): Promise<Page> {
  const { value: hooks } = await request.perform('GET /hooks');
  return {
    title: 'Webhooks',
    lead: 'Send events, such as a new user or a sign-in, to your endpoints.',
    actions: newHook(request),
    content: html`<div id="hooks" data-live>${table({
      caption: 'Webhooks, newest first',
      rows: hooks,
      empty: html`<p>No webhooks yet.</p>${newHook(request)}`,
      columns: [
        { label: 'Name', cell: (hook) => html`<a href="${request.to(hookPath(hook))}">${hook.name}</a>` },
        { label: 'Status', cell: (hook) => healthOf(hook, request.now) },
        { label: 'Endpoint', cell: ({ config }) => html`<span class="mono">${config.url}</span>` },
        { label: 'Events', cell: (hook) => eventsOf(hook).length, isNumber: true },
        { label: 'Created', cell: ({ createdAt }) => when(createdAt, request.now) },
      ],
    })}</div>`,
    live: ['hooks'],
  };
}

function factsOf(request: ConsoleRequest, hook: Hook): Html {
  const headers = Object.entries(hook.config.headers ?? {});
  return facts([
    ['Status', healthOf(hook, request.now)],
    ['Endpoint URL', copyable(hook.config.url)],
    ['Retry policy', hook.config.retries === 0 ? NO_RETRIES : retryPolicy(request.settings)],
    [
      'Custom headers',
      headers.length > 0 && html`<span class="mono">${headers.map(([name]) => name).join(', ')}</span>`,
    ],
    ['ID', copyable(hook.id)],
    ['Created', when(hook.createdAt, request.now)],
  ]);
}

async function showHook(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  const [health, { deliveries }] = [
    await readHealth(request),
    await readFeed(request, { limit: String(LATEST_DELIVERIES) }),
  ];
  const latest = deliveryTable(request, { deliveries, hooks: [hook], empty: 'No deliveries yet.' });
  const { signingKey: _, webhookSecret: __, ...hookWithoutSecrets } = hook;
  const link = (below: string, label: string, kind?: string) => buttonLink(request, hookPath(hook, below), label, kind);
  const toggle = hook.enabled
    ? buttonForm(request, hookPath(hook, '/off'), 'Disable webhook', { kind: '' })
    : buttonForm(request, hookPath(hook, '/on'), 'Enable webhook', { kind: 'primary' });
  return {
    title: hook.name,
    back: { path: '/webhooks', label: 'Webhooks' },
    actions: html`${link('/test', 'Send test event', hook.enabled ? 'primary' : '')}${toggle}${link('/edit', 'Edit')}${link('/delete', 'Delete', 'danger')}`,
    content: html`${refused && note('bad', refused.error.message)}
<div id="health" data-live class="tight">${failureNote(request, hook, health)}${factsOf(request, hook)}</div>
${trafficSection(request, hook, health)}
${section('Latest deliveries', html`<div id="latest" data-live>${latest}</div>`, {
  actions: html`<div class="row-actions">${link('/deliveries', 'All deliveries', 'compact')}${link('/replay', 'Replay events', 'compact')}</div>`,
})}
${section('Events', html`<div class="chips">${eventsOf(hook).map((type) => html`<span class="chip">${type}</span>`)}</div>`)}
${section(
  'Signing secret',
  html`<p>Every request is signed with this secret. It is shown only when it is created.</p>`,
  {
    actions: html`<div class="row-actions"><a class="button compact" href="${request.to('/webhooks/verify')}">Verify signatures</a>${link('/key', 'Rotate secret', 'compact')}</div>`,
  },
)}
${rawJson(hookWithoutSecrets)}`,
    live: ['hooks', 'deliveries', 'attempts'],
    modules: ['console/plot'],
  };
}

const CHANGING = 'PATCH /hooks/:id';

async function setEnabled(request: AtHook, enabled: boolean): Promise<Redirect> {
  await request.perform(CHANGING, { body: { enabled } });
  const text = enabled
    ? 'Webhook enabled. Replay events to send the ones it missed.'
    : 'Webhook disabled. Pending deliveries were canceled, and no events are sent.';
  return {
    to: hookPath(request.params),
    flash: { text, undo: { path: hookPath(request.params, enabled ? '/off' : '/on') } },
  };
}

const OVERLAPS = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['168', '7 days'],
  ['0', 'Not at all, because it leaked'],
] as const;

async function showKey(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  return formPage(request, refused, {
    title: `Rotate the signing secret of ${hook.name}`,
    lead: 'Requests are signed with both secrets for a while, so you can update your endpoint without losing events.',
    back: { path: hookPath(hook), label: hook.name },
    content: field({
      name: 'overlapHours',
      label: 'Keep the old secret valid for',
      hint: 'In the header webhook-signature. The header logto-signature-sha-256 uses only the new secret.',
      options: OVERLAPS,
      value: refused?.values.get('overlapHours') ?? '24',
      faults: faultsOf(refused),
    }),
    submit: 'Rotate secret',
  });
}

async function rotate(request: AtHook): Promise<Redirect> {
  const overlapHours = Number(request.submitted.get('overlapHours') ?? 24);
  const { value } = await request.perform('PATCH /hooks/:id/signing-key', { body: { overlapHours } });
  const until =
    overlapHours === 0
      ? 'The old one is no longer valid.'
      : `The old one stays valid for ${duration(overlapHours * 3_600)}.`;
  const text = `This is the new signing secret, in two formats. ${until}`;
  return { to: hookPath(value), flash: { text, secrets: signingSecretsOf(value) } };
}

async function showDelete(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  return formPage(request, refused, {
    title: `Delete webhook ${hook.name}`,
    back: { path: hookPath(hook), label: hook.name },
    content: html`<p>Its deliveries are deleted, and no more events are sent. This can’t be undone.</p>`,
    submit: 'Delete webhook',
    kind: 'danger',
  });
}

async function remove(request: AtHook): Promise<Redirect> {
  const { name } = await readHook(request);
  await request.perform('DELETE /hooks/:id');
  return { to: '/webhooks', flash: { text: `Webhook “${name}” deleted.` } };
}

export const hookList = page('/webhooks', showHooks);

export const hookPages = [
  page(HOOK, showHook),
  action(`${HOOK}/on`, showHook, (request) => setEnabled(request, true), CHANGING),
  action(`${HOOK}/off`, showHook, (request) => setEnabled(request, false), CHANGING),
  resumeAction(showHook),
  form(`${HOOK}/key`, showKey, rotate, 'PATCH /hooks/:id/signing-key'),
  form(`${HOOK}/delete`, showDelete, remove, 'DELETE /hooks/:id'),
];
