import type { EventType } from '../../../events/catalogue.ts';
import { sampleOf } from '../../../events/sample.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, note, rawJson, section } from '../../parts/parts.ts';
import { form, type Page, type RefusedForm } from '../../route.ts';
import { block, verdictOf } from './attempt.ts';
import { type AtHook, eventOptions, eventsOf, HOOK, hookPath, readHook } from './hook.ts';

type TestAttempt = Result<'POST /hooks/:id/test'>['attempts'][number];

/** The response of the endpoint to the test event. */
function responseTo({ event, status: received, durationMs, responseBody, error }: TestAttempt): Html {
  const status = received ?? null;
  const text =
    error === undefined
      ? `The endpoint accepted the ${event} sample.`
      : status === null
        ? error
        : `The endpoint responded ${status}. Any 2xx response counts as delivered.`;
  const answer = html`<div class="row"><p>${verdictOf({ isSuccess: error === undefined, status })}</p><span class="quiet">${durationMs.toLocaleString('en')} ms</span></div>
${responseBody ? block(responseBody) : html`<p class="quiet">${status === null ? 'No response.' : 'Empty body.'}</p>`}`;
  return html`${note(error === undefined ? 'ok' : 'bad', text)}${section('Response', answer)}`;
}

async function showTest(request: AtHook, refused?: RefusedForm, attempt?: TestAttempt): Promise<Page> {
  const hook = await readHook(request);
  const event =
    request.submitted.get('event') ?? request.query.get('event') ?? eventsOf(hook)[0] ?? ('User.Created' as const);
  const faults = faultsOf(refused);
  const isKnown = eventOptions.some(([type]) => type === event);
  return {
    title: `Test ${hook.name}`,
    lead: 'Sends one signed sample event with invented data and waits for the response. No delivery is recorded.',
    back: { path: hookPath(hook), label: hook.name },
    content: html`${attempt && responseTo(attempt)}
${facts([['Endpoint URL', copyable(hook.config.url)]])}
${formOf(request, {
  path: request.path,
  content: field({ name: 'event', label: 'Event', options: eventOptions, value: event, faults }),
  submit: 'Send test event',
  cancel: hookPath(hook),
  faults,
})}
${isKnown && section('Request body', rawJson({ ...sampleOf(event as EventType, request.now), hookId: hook.id }))}`,
  };
}

async function send(request: AtHook): Promise<Page> {
  const { config } = await readHook(request);
  const event = request.submitted.get('event') ?? '';
  const { value } = await request.perform('POST /hooks/:id/test', {
    query: { includeResponse: 'true' },
    body: { events: [event], config },
  });
  return showTest(request, undefined, value.attempts[0]);
}

export const testPages = [
  form(`${HOOK}/test`, (request, refused) => showTest(request, refused), send, 'POST /hooks/:id/test'),
];
