import { type EventType, silentEventTypes } from '../../../events/catalogue.ts';
import { sampleOf } from '../../../events/sample.ts';
import { type Html, html } from '../../../pages/html.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { faultyInput, field, formPage } from '../../parts/form-parts.ts';
import { keepOthersChanges, openedField } from '../../parts/opened-values.ts';
import { duration } from '../../parts/parts.ts';
import { type ConsoleRequest, form, type Page, type Redirect, type RefusedForm } from '../../route.ts';
import {
  type AtHook,
  eventGroups,
  eventsOf,
  HOOK,
  type Hook,
  hookPath,
  NO_RETRIES,
  readHook,
  retryPolicy,
} from './hook.ts';

/** The values of the form, as text. */
interface HookFormValues {
  name: string;
  url: string;
  headers: string;
  retries: string;
  events: string[];
}

const EMPTY_FORM: HookFormValues = { name: '', url: '', headers: '', retries: 'schedule', events: [] };

const submittedValues = (sent: URLSearchParams): HookFormValues => ({
  name: sent.get('name')?.trim() ?? '',
  url: sent.get('config.url')?.trim() ?? '',
  headers: sent.get('config.headers') ?? '',
  retries: sent.get('retries') ?? 'schedule',
  events: sent.getAll('events'),
});

const storedValues = (hook: Hook): HookFormValues => ({
  name: hook.name,
  url: hook.config.url,
  headers: Object.entries(hook.config.headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
  retries: hook.config.retries === 0 ? 'none' : 'schedule',
  events: eventsOf(hook),
});

/** Returns the stored values as the form submits them. */
function textsOf(hook: Hook): URLSearchParams {
  const { name, url, headers, retries, events } = storedValues(hook);
  const texts = new URLSearchParams({ name, 'config.url': url, 'config.headers': headers, retries });
  for (const event of events) texts.append('events', event);
  return texts;
}

/** Names of the form's fields. */
const FIELDS = ['name', 'config.url', 'config.headers', 'retries', 'events'];

/** Parses one header per line. A line without a colon becomes a name that the operation refuses, with all other faults. */
function headersOf(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) return [`${line.trim()} (without a colon)`, ''];
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

function bodyOf({ name, url, headers, retries, events }: HookFormValues) {
  const parsed = headersOf(headers);
  const config = {
    url,
    ...(Object.keys(parsed).length > 0 && { headers: parsed }),
    ...(retries === 'none' && { retries: 0 }),
  };
  return { name, config, event: null, events };
}

const exampleOf = (type: EventType, now: number): Html =>
  html`<details><summary aria-label="Example of ${type}">Example</summary><pre class="mono" tabindex="0">${JSON.stringify({ ...sampleOf(type, now), hookId: '0f3k9d2m5x7q1w8e4r6t2' }, null, 2)}</pre></details>`;

/** Event types that are accepted but never sent. The form keeps them when the other events change. */
const silentIn = (events: readonly string[]) => silentEventTypes.filter((type) => events.includes(type));

const FIRST_EVENT = eventGroups[0]?.events[0];

/** Checkboxes of all event types in groups, each with an example of its request body. */
const eventPicker = (ticked: readonly string[], now: number, faults: Faults): Html =>
  html`${silentIn(ticked).map((type) => html`<input type="hidden" name="events" value="${type}">`)}
<fieldset class="field picker"><legend>Events</legend>
<p class="hint">Each event is sent as a signed request once its change is committed. The examples show the request bodies.</p>
${faults.fields.has('events') && html`<p class="fault" id="events-fault">${faults.fields.get('events')}</p>`}
${eventGroups.map(
  ({ name, events }) =>
    html`<fieldset class="boxes"><legend>${name}</legend>${events.map(
      (type) =>
        html`<div class="picked"><label class="box"><input type="checkbox" name="events" value="${type}"${type === FIRST_EVENT && faultyInput('events', faults)}${ticked.includes(type) && html` checked`}> <span>${type}</span></label>${exampleOf(type, now)}</div>`,
    )}</fieldset>`,
)}</fieldset>`;

/** The inputs, with the submitted values if the form was refused, or else with `initial`. */
function fieldsOf({ now, settings }: ConsoleRequest, initial: HookFormValues, refused?: RefusedForm): Html[] {
  const typed = refused ? submittedValues(refused.values) : initial;
  const faults = faultsOf(refused);
  return [
    field({ name: 'name', label: 'Name', value: typed.name, faults }),
    field({
      name: 'config.url',
      label: 'Endpoint URL',
      type: 'url',
      value: typed.url,
      hint: `Receives POST requests. It must respond with any 2xx status within ${duration(settings.deliveryTimeoutMs / 1_000)}.`,
      faults,
    }),
    eventPicker(typed.events, now, faults),
    field({
      name: 'config.headers',
      label: 'Custom headers',
      isOptional: true,
      isMono: true,
      lines: 3,
      value: typed.headers,
      hint: 'One per line, as Name: value. Sent with every attempt.',
      faults,
    }),
    field({
      name: 'retries',
      label: 'Retry policy',
      value: typed.retries,
      options: [
        ['schedule', retryPolicy(settings)],
        ['none', NO_RETRIES],
      ],
      faults,
    }),
  ];
}

function showNew(request: ConsoleRequest, refused?: RefusedForm): Page {
  return formPage(request, refused, {
    title: 'New webhook',
    lead: 'Sends events of this tenant to your endpoint as they happen.',
    back: { path: '/webhooks', label: 'Webhooks' },
    content: fieldsOf(request, EMPTY_FORM, refused),
    submit: 'Create webhook',
  });
}

/** The signing secret in the two formats that receivers use. */
export const signingSecretsOf = ({ webhookSecret, signingKey }: Hook) => [
  { label: 'For Standard Webhooks libraries', value: webhookSecret },
  { label: 'For the header logto-signature-sha-256', value: signingKey },
];

async function create(request: ConsoleRequest): Promise<Redirect> {
  const body = bodyOf(submittedValues(request.submitted));
  const { value: hook } = await request.perform('POST /hooks', { body });
  const text = 'Webhook created. This is its signing secret, in two formats.';
  return { to: hookPath(hook), flash: { text, secrets: signingSecretsOf(hook) } };
}

async function showChange(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  return formPage(request, refused, {
    title: `Edit ${hook.name}`,
    back: { path: hookPath(hook), label: hook.name },
    content: [openedField(FIELDS, textsOf(hook), refused?.values), ...fieldsOf(request, storedValues(hook), refused)],
    submit: 'Save changes',
  });
}

async function change(request: AtHook): Promise<Redirect> {
  await keepOthersChanges(request, 'PATCH /hooks/:id', textsOf(await readHook(request)));
  await request.perform('PATCH /hooks/:id', { body: bodyOf(submittedValues(request.submitted)) });
  return { to: hookPath(request.params), flash: { text: 'Changes saved. They apply from the next attempt.' } };
}

export const hookForms = [
  form('/webhooks/new', showNew, create, 'POST /hooks'),
  form(`${HOOK}/edit`, showChange, change, 'PATCH /hooks/:id'),
];
