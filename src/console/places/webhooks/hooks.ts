import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, field, formOf } from '../../parts/form-parts.ts';
import { copyable, duration, elapsed, facts, note, rawJson, section, table, when } from '../../parts/parts.ts';
import { type Attempt, action, form, type Next, type Page, page, type Visit } from '../../route.ts';
import { deliveryTable, readFeed } from './delivery-list.ts';
import { eventsOf, HOOK, type Hook, healthOf, hookPath, NO_RETRIES, readHook, retryPolicy } from './hook.ts';
import { signingSecretsOf } from './hook-form.ts';

/** Number of deliveries on a webhook's page. */
const LATEST = 5;

const newHook = (visit: Visit): Html =>
  html`<a class="button primary" href="${visit.to('/webhooks/new')}">New webhook</a>`;

async function showHooks(visit: Visit): Promise<Page> {
  const { value: hooks } = await visit.perform<Hook[]>('GET /hooks');
  return {
    title: 'Webhooks',
    lead: 'Send events, such as a new user or a sign-in, to your endpoints.',
    actions: newHook(visit),
    content: html`<div id="hooks" data-live>${table({
      caption: 'Webhooks, newest first',
      rows: hooks,
      empty: html`<p>No webhooks yet.</p>${newHook(visit)}`,
      columns: [
        { label: 'Name', cell: (hook) => html`<a href="${visit.to(hookPath(hook))}">${hook.name}</a>` },
        { label: 'Status', cell: healthOf },
        { label: 'Endpoint', cell: ({ config }) => html`<span class="mono">${config.url}</span>` },
        { label: 'Events', cell: (hook) => eventsOf(hook).length, isNumber: true },
        { label: 'Created', cell: ({ createdAt }) => when(createdAt, visit.now) },
      ],
    })}</div>`,
    live: ['hooks'],
  };
}

/** A warning with the reason why deliveries fail and what to do; false if there is no problem. */
function trouble(visit: Visit, { enabled, disabledReason, failingSince }: Hook): Html | false {
  if (!enabled && disabledReason !== undefined)
    return note(
      'bad',
      html`${disabledReason} The webhook was disabled. Fix your endpoint, then enable the webhook and replay the events it missed.`,
    );
  if (enabled && failingSince !== undefined)
    return note(
      'warn',
      html`No successful delivery for ${elapsed(failingSince, visit.now)}. Attempts continue. The deliveries below show the errors.`,
    );
  return false;
}

function factsOf(visit: Visit, hook: Hook): Html {
  const headers = Object.entries(hook.config.headers ?? {});
  return facts([
    ['Status', healthOf(hook)],
    ['Endpoint URL', copyable(hook.config.url)],
    ['Retry policy', hook.config.retries === 0 ? NO_RETRIES : retryPolicy(visit.settings)],
    [
      'Custom headers',
      headers.length > 0 && html`<span class="mono">${headers.map(([name]) => name).join(', ')}</span>`,
    ],
    ['ID', copyable(hook.id)],
    ['Created', when(hook.createdAt, visit.now)],
  ]);
}

async function showHook(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const { deliveries } = await readFeed(visit, { limit: String(LATEST) });
  const { signingKey: _, webhookSecret: __, ...shown } = hook;
  const at = (below: string) => visit.to(hookPath(hook, below));
  const toggle = hook.enabled
    ? buttonForm(visit, hookPath(hook, '/off'), 'Disable webhook', { kind: '' })
    : buttonForm(visit, hookPath(hook, '/on'), 'Enable webhook', { kind: 'primary' });
  return {
    title: hook.name,
    back: { path: '/webhooks', label: 'Webhooks' },
    actions: html`<a class="button${hook.enabled && ' primary'}" href="${at('/test')}">Send test event</a>${toggle}<a class="button" href="${at('/edit')}">Edit</a><a class="button danger" href="${at('/delete')}">Delete</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}
<div id="health" data-live class="tight">${trouble(visit, hook)}${factsOf(visit, hook)}</div>
${section(
  'Latest deliveries',
  html`<div id="latest" data-live>${deliveryTable(visit, deliveries, 'No deliveries yet.')}</div>`,
  {
    actions: html`<div class="row-actions"><a class="button compact" href="${at('/deliveries')}">All deliveries</a><a class="button compact" href="${at('/replay')}">Replay events</a></div>`,
  },
)}
${section('Events', html`<div class="chips">${eventsOf(hook).map((type) => html`<span class="chip">${type}</span>`)}</div>`)}
${section(
  'Signing secret',
  html`<p>Every request is signed with this secret. It is shown only when it is created.</p>`,
  {
    actions: html`<div class="row-actions"><a class="button compact" href="${visit.to('/webhooks/verify')}">Verify signatures</a><a class="button compact" href="${at('/key')}">Rotate secret</a></div>`,
  },
)}
${rawJson(shown)}`,
    live: ['hooks', 'deliveries', 'attempts'],
  };
}

async function turn(visit: Visit, enabled: boolean): Promise<Next> {
  await visit.perform('PATCH /hooks/:id', { params: visit.params, body: { enabled } });
  const text = enabled
    ? 'Webhook enabled. Replay events to send the ones it missed.'
    : 'Webhook disabled. Pending deliveries were canceled, and no events are sent.';
  return {
    to: hookPath(visit.params),
    flash: { text, undo: { path: hookPath(visit.params, enabled ? '/off' : '/on') } },
  };
}

const OVERLAPS = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['168', '7 days'],
  ['0', 'Not at all, because it leaked'],
] as const;

async function showKey(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const faults = faultsOf(attempt);
  return {
    title: `Rotate the signing secret of ${hook.name}`,
    lead: 'Requests are signed with both secrets for a while, so you can update your endpoint without losing events.',
    back: { path: hookPath(hook), label: hook.name },
    content: formOf(visit, {
      path: visit.path,
      content: field({
        name: 'overlapHours',
        label: 'Keep the old secret valid for',
        hint: 'In the header webhook-signature. The header logto-signature-sha-256 uses only the new secret.',
        options: OVERLAPS,
        value: attempt?.typed.get('overlapHours') ?? '24',
        faults,
      }),
      submit: 'Rotate secret',
      cancel: hookPath(hook),
      faults,
    }),
  };
}

async function rotate(visit: Visit): Promise<Next> {
  const overlapHours = Number(visit.sent.get('overlapHours') ?? 24);
  const { value } = await visit.perform<Hook>('PATCH /hooks/:id/signing-key', {
    params: visit.params,
    body: { overlapHours },
  });
  const until =
    overlapHours === 0
      ? 'The old one is no longer valid.'
      : `The old one stays valid for ${duration(overlapHours * 3_600)}.`;
  const text = `This is the new signing secret, in two formats. ${until}`;
  return { to: hookPath(value), flash: { text, secrets: signingSecretsOf(value) } };
}

async function showDelete(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  return {
    title: `Delete webhook ${hook.name}`,
    back: { path: hookPath(hook), label: hook.name },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>Its deliveries are deleted, and no more events are sent. This can’t be undone.</p>`,
      submit: 'Delete webhook',
      kind: 'danger',
      cancel: hookPath(hook),
      faults: faultsOf(attempt),
    }),
  };
}

async function remove(visit: Visit): Promise<Next> {
  const { name } = await readHook(visit);
  await visit.perform('DELETE /hooks/:id', { params: visit.params });
  return { to: '/webhooks', flash: { text: `Webhook “${name}” deleted.` } };
}

export const hookList = page('/webhooks', showHooks);

export const hookPages = [
  page(HOOK, showHook),
  action(`${HOOK}/on`, showHook, (visit) => turn(visit, true)),
  action(`${HOOK}/off`, showHook, (visit) => turn(visit, false)),
  form(`${HOOK}/key`, showKey, rotate),
  form(`${HOOK}/delete`, showDelete, remove),
];
