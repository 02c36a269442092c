import type { EventType } from '../../../events/catalogue.ts';
import { sampleOf } from '../../../events/sample.ts';
import { html } from '../../../pages/html.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, rawJson, section } from '../../parts/parts.ts';
import { form, type Page, type Redirect, type RefusedForm } from '../../route.ts';
import { type AtHook, eventOptions, eventsOf, HOOK, hookPath, readHook } from './hook.ts';

/** Adds the endpoint's response status to the error message. */
function faultsWithStatus(refused: RefusedForm | undefined): Faults {
  const faults = faultsOf(refused);
  const { responseStatus } = (refused?.error.data ?? {}) as { responseStatus?: number };
  if (responseStatus === undefined) return faults;
  return { ...faults, general: `The endpoint responded ${responseStatus}. Any 2xx response counts as delivered.` };
}

async function showTest(request: AtHook, refused?: RefusedForm): Promise<Page> {
  const hook = await readHook(request);
  const event = refused?.values.get('event') ?? request.query.get('event') ?? eventsOf(hook)[0] ?? 'User.Created';
  const faults = faultsWithStatus(refused);
  const isKnown = eventOptions.some(([type]) => type === event);
  return {
    title: `Test ${hook.name}`,
    lead: 'Sends one signed sample event with invented data and waits for the response. No delivery is recorded.',
    back: { path: hookPath(hook), label: hook.name },
    content: html`${facts([['Endpoint URL', copyable(hook.config.url)]])}
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

async function send(request: AtHook): Promise<Redirect> {
  const hook = await readHook(request);
  const event = request.submitted.get('event') ?? '';
  await request.perform('POST /hooks/:id/test', { body: { events: [event], config: hook.config } });
  const text = `The endpoint accepted the ${event} sample.`;
  return { to: `${hookPath(hook, '/test')}?${new URLSearchParams({ event })}`, flash: { text } };
}

export const testPages = [form(`${HOOK}/test`, showTest, send, 'POST /hooks/:id/test')];
