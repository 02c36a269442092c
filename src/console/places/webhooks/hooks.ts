import { type Html, html } from '../../../pages/html.ts';
import { faultsOf } from '../../parts/faults.ts';
import { buttonForm, field, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, note, rawJson, section, table, when } from '../../parts/parts.ts';
import { type Attempt, action, form, type Next, type Page, page, type Visit } from '../../route.ts';
import { deliveryTable, readFeed } from './delivery-list.ts';
import { eventsOf, HOOK, type Hook, healthOf, hookPath, readHook } from './hook.ts';
import { keysShown } from './hook-form.ts';

/** Of those on the page of their webhook. */
const LATEST = 5;

const newHook = (visit: Visit): Html =>
  html`<a class="button primary" href="${visit.to('/webhooks/new')}">New webhook</a>`;

async function showHooks(visit: Visit): Promise<Page> {
  const { value: hooks } = await visit.perform<Hook[]>('GET /hooks');
  return {
    title: 'Webhooks',
    lead: 'Your servers, told of what happens here: a user was created, a role changed, somebody signed in.',
    actions: newHook(visit),
    content: html`<div id="hooks" data-live>${table({
      caption: 'Webhooks, newest first',
      rows: hooks,
      empty: html`<p>Nobody is told of anything yet.</p>${newHook(visit)}`,
      columns: [
        { label: 'Name', cell: (hook) => html`<a href="${visit.to(hookPath(hook))}">${hook.name}</a>` },
        { label: 'State', cell: healthOf },
        { label: 'Sends to', cell: ({ config }) => html`<span class="mono">${config.url}</span>` },
        { label: 'Events', cell: (hook) => eventsOf(hook).length, isNumber: true },
        { label: 'Created', cell: ({ createdAt }) => when(createdAt, visit.now) },
      ],
    })}</div>`,
    live: ['hooks'],
  };
}

/** Why it does not work, and what to do about it. */
function trouble(visit: Visit, { enabled, disabledReason, failingSince }: Hook): Html | false {
  if (!enabled && disabledReason !== undefined)
    return note(
      'bad',
      html`${disabledReason} It was disabled. Mend your server, then turn the webhook on and replay what it missed.`,
    );
  if (enabled && failingSince !== undefined)
    return note(
      'warn',
      html`Nothing has been taken since ${when(failingSince, visit.now)}. Attempts go on; the deliveries below say why.`,
    );
  return false;
}

function factsOf(visit: Visit, hook: Hook): Html {
  const headers = Object.entries(hook.config.headers ?? {});
  return facts([
    ['State', healthOf(hook)],
    ['Sends to', copyable(hook.config.url)],
    ['When it is not taken', hook.config.retries === 0 ? 'One attempt' : 'Eleven attempts within 76 hours'],
    [
      'Headers added',
      headers.length > 0 && html`<span class="mono">${headers.map(([name]) => name).join(', ')}</span>`,
    ],
    ['Id', copyable(hook.id)],
    ['Created', when(hook.createdAt, visit.now)],
  ]);
}

async function showHook(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const { deliveries } = await readFeed(visit, { limit: String(LATEST) });
  const { signingKey: _, webhookSecret: __, ...shown } = hook;
  const at = (below: string) => visit.to(hookPath(hook, below));
  const toggle = hook.enabled
    ? buttonForm(visit, hookPath(hook, '/off'), 'Turn off', { kind: '' })
    : buttonForm(visit, hookPath(hook, '/on'), 'Turn on', { kind: 'primary' });
  return {
    title: hook.name,
    back: { path: '/webhooks', label: 'Webhooks' },
    actions: html`<a class="button${hook.enabled && ' primary'}" href="${at('/test')}">Send a test</a>${toggle}<a class="button" href="${at('/edit')}">Change</a><a class="button danger" href="${at('/delete')}">Delete</a>`,
    content: html`${attempt && note('bad', attempt.error.message)}
<div id="health" data-live class="tight">${trouble(visit, hook)}${factsOf(visit, hook)}</div>
${section(
  'Latest deliveries',
  html`<div id="latest" data-live>${deliveryTable(visit, deliveries, 'Nothing was sent yet. The next event of those below is the first, or send a test.')}</div>`,
  {
    actions: html`<div class="row-actions"><a class="button compact" href="${at('/deliveries')}">All deliveries</a><a class="button compact" href="${at('/replay')}">Replay</a></div>`,
  },
)}
${section('Events', html`<div class="chips">${eventsOf(hook).map((type) => html`<span class="chip">${type}</span>`)}</div>`)}
${section(
  'Signing key',
  html`<p>Every attempt is signed with it. It was shown when it was made; a new one takes its place.</p>`,
  {
    actions: html`<div class="row-actions"><a class="button compact" href="${visit.to('/webhooks/verify')}">Verification code</a><a class="button compact" href="${at('/key')}">New key</a></div>`,
  },
)}
${rawJson(shown)}`,
    live: ['hooks', 'deliveries', 'attempts'],
  };
}

async function turn(visit: Visit, enabled: boolean): Promise<Next> {
  await visit.perform('PATCH /hooks/:id', { params: visit.params, body: { enabled } });
  const text = enabled
    ? 'On again. Replay sends what it missed.'
    : 'Off: what was waiting was cancelled, and nothing is sent.';
  return {
    to: hookPath(visit.params),
    flash: { text, undo: { path: hookPath(visit.params, enabled ? '/off' : '/on') } },
  };
}

const OVERLAPS = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['168', '7 days'],
  ['0', 'Not at all: it leaked'],
] as const;

async function showKey(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const faults = faultsOf(attempt);
  return {
    title: `New signing key of ${hook.name}`,
    lead: 'For a while both keys sign, so that your server can change over without losing an event.',
    back: { path: hookPath(hook), label: hook.name },
    content: formOf(visit, {
      path: visit.path,
      content: field({
        name: 'overlapHours',
        label: 'The old key signs beside it for',
        hint: 'In webhook-signature. The header logto-signature-sha-256 carries the new key at once.',
        options: OVERLAPS,
        value: attempt?.typed.get('overlapHours') ?? '24',
        faults,
      }),
      submit: 'Make a new key',
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
    overlapHours === 0 ? 'The old one signs no more.' : `The old one signs beside it for ${overlapHours} h.`;
  return { to: hookPath(value), flash: { text: `This is the new key. ${until}`, secrets: keysShown(value) } };
}

async function showDelete(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  return {
    title: `Delete webhook ${hook.name}`,
    back: { path: hookPath(hook), label: hook.name },
    content: formOf(visit, {
      path: visit.path,
      content: html`<p>Its deliveries and their attempts go with it, and nothing more is sent. This cannot be undone.</p>`,
      submit: `Delete ${hook.name}`,
      kind: 'danger',
      cancel: hookPath(hook),
      faults: faultsOf(attempt),
    }),
  };
}

async function remove(visit: Visit): Promise<Next> {
  const { name } = await readHook(visit);
  await visit.perform('DELETE /hooks/:id', { params: visit.params });
  return { to: '/webhooks', flash: { text: `${name} was deleted.` } };
}

export const hookList = page('/webhooks', showHooks);

export const hookPages = [
  page(HOOK, showHook),
  action(`${HOOK}/on`, showHook, (visit) => turn(visit, true)),
  action(`${HOOK}/off`, showHook, (visit) => turn(visit, false)),
  form(`${HOOK}/key`, showKey, rotate),
  form(`${HOOK}/delete`, showDelete, remove),
];
