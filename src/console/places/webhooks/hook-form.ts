import { ServiceError } from '../../../errors.ts';
import { type EventType, silentEventTypes } from '../../../events/catalogue.ts';
import { sampleOf } from '../../../events/sample.ts';
import { type Html, html } from '../../../pages/html.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { type Attempt, form, type Next, type Page, type Visit } from '../../route.ts';
import { eventGroups, eventsOf, HOOK, type Hook, hookPath, readHook } from './hook.ts';

const RETRIES = [
  ['schedule', 'Eleven attempts within 76 hours'],
  ['none', 'One attempt'],
] as const;

/** What stands in the fields: as typed, or as it is. */
interface Typed {
  name: string;
  url: string;
  headers: string;
  retries: string;
  events: readonly string[];
}

const NOTHING: Typed = { name: '', url: '', headers: '', retries: 'schedule', events: [] };

const typedIn = (sent: URLSearchParams): Typed => ({
  name: sent.get('name')?.trim() ?? '',
  url: sent.get('config.url')?.trim() ?? '',
  headers: sent.get('config.headers') ?? '',
  retries: sent.get('retries') ?? 'schedule',
  events: sent.getAll('events'),
});

const typedOf = (hook: Hook): Typed => ({
  name: hook.name,
  url: hook.config.url,
  headers: Object.entries(hook.config.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  retries: hook.config.retries === 0 ? 'none' : 'schedule',
  events: eventsOf(hook),
});

/** A header a line. @throws 400 for a line without a colon */
function headersOf(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1)
        throw new ServiceError('guard.invalid_input', {
          details: 'body.config.headers: Write each header on a line of its own, as Name: value.',
        });
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

function bodyOf({ name, url, headers, retries, events }: Typed) {
  const given = headersOf(headers);
  const config = {
    url,
    ...(Object.keys(given).length > 0 && { headers: given }),
    ...(retries === 'none' && { retries: 0 }),
  };
  return { name, config, event: null, events };
}

const exampleOf = (type: EventType, now: number): Html =>
  html`<details><summary aria-label="Example of ${type}">Example</summary><pre class="mono" tabindex="0">${JSON.stringify({ ...sampleOf(type, now), hookId: '0f3k9d2m5x7q1w8e4r6t2' }, null, 2)}</pre></details>`;

/** Events that are accepted and never sent: a change of the others keeps them. */
const silentIn = (events: readonly string[]) => silentEventTypes.filter((type) => events.includes(type));

/** By what they are about, each with the body that it sends. */
const eventPicker = (ticked: readonly string[], now: number, faults: Faults): Html =>
  html`${silentIn(ticked).map((type) => html`<input type="hidden" name="events" value="${type}">`)}
<fieldset class="field picker"><legend>Events</legend>
<p class="hint">Each is sent when the change is committed, signed, with a body like its example.</p>
${faults.fields.has('events') && html`<p class="fault" id="events-fault">${faults.fields.get('events')}</p>`}
${eventGroups.map(
  ({ name, events }) =>
    html`<fieldset class="boxes"><legend>${name}</legend>${events.map(
      (type) =>
        html`<div class="picked"><label class="box"><input type="checkbox" name="events" value="${type}"${ticked.includes(type) && html` checked`}> <span>${type}</span></label>${exampleOf(type, now)}</div>`,
    )}</fieldset>`,
)}</fieldset>`;

function fieldsOf(typed: Typed, faults: Faults, now: number): Html[] {
  return [
    field({ name: 'name', label: 'Name', value: typed.name, faults }),
    field({
      name: 'config.url',
      label: 'Where to send',
      type: 'url',
      value: typed.url,
      hint: 'An address of your server that takes POST. It answers 2xx within 15 seconds.',
      faults,
    }),
    eventPicker(typed.events, now, faults),
    field({
      name: 'config.headers',
      label: 'Headers to add',
      isOptional: true,
      isMono: true,
      lines: 3,
      value: typed.headers,
      hint: 'One a line, as Name: value. They go with every attempt.',
      faults,
    }),
    field({
      name: 'retries',
      label: 'When your server does not take it',
      value: typed.retries,
      options: RETRIES,
    }),
  ];
}

function showNew(visit: Visit, attempt?: Attempt): Page {
  const faults = faultsOf(attempt);
  return {
    title: 'New webhook',
    lead: 'Your server is told of what happens here, as it happens.',
    back: { path: '/webhooks', label: 'Webhooks' },
    content: formOf(visit, {
      path: visit.path,
      content: fieldsOf(attempt ? typedIn(attempt.typed) : NOTHING, faults, visit.now),
      submit: 'Create webhook',
      cancel: '/webhooks',
      faults,
    }),
  };
}

/** Both forms that receivers' libraries take it in. */
export const keysShown = ({ webhookSecret, signingKey }: Hook) => [
  { label: 'For the Standard Webhooks libraries', value: webhookSecret },
  { label: 'For logto-signature-sha-256', value: signingKey },
];

async function create(visit: Visit): Promise<Next> {
  const { value: hook } = await visit.perform<Hook>('POST /hooks', { body: bodyOf(typedIn(visit.sent)) });
  const text = 'The webhook was created. This is the key that signs what it sends.';
  return { to: hookPath(hook), flash: { text, secrets: keysShown(hook) } };
}

async function showChange(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const faults = faultsOf(attempt);
  return {
    title: `Change ${hook.name}`,
    back: { path: hookPath(hook), label: hook.name },
    content: formOf(visit, {
      path: visit.path,
      content: fieldsOf(attempt ? typedIn(attempt.typed) : typedOf(hook), faults, visit.now),
      submit: 'Save',
      cancel: hookPath(hook),
      faults,
    }),
  };
}

async function change(visit: Visit): Promise<Next> {
  await visit.perform('PATCH /hooks/:id', { params: visit.params, body: bodyOf(typedIn(visit.sent)) });
  return { to: hookPath(visit.params), flash: { text: 'Saved. It holds from the next attempt.' } };
}

export const hookForms = [form('/webhooks/new', showNew, create), form(`${HOOK}/edit`, showChange, change)];
