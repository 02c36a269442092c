import type { EventType } from '../../../events/catalogue.ts';
import { sampleOf } from '../../../events/sample.ts';
import { html } from '../../../pages/html.ts';
import { type Faults, faultsOf } from '../../parts/faults.ts';
import { field, formOf } from '../../parts/form-parts.ts';
import { copyable, facts, rawJson, section } from '../../parts/parts.ts';
import { type Attempt, form, type Next, type Page, type Visit } from '../../route.ts';
import { eventOptions, eventsOf, HOOK, hookPath, readHook } from './hook.ts';

/** What the receiver answered is more than the refusal's own words say. */
function faultsWithStatus(attempt: Attempt | undefined): Faults {
  const faults = faultsOf(attempt);
  const { responseStatus } = (attempt?.error.data ?? {}) as { responseStatus?: number };
  if (responseStatus === undefined) return faults;
  return { ...faults, general: `Your server answered ${responseStatus}. It takes an event with any 2xx.` };
}

async function showTest(visit: Visit, attempt?: Attempt): Promise<Page> {
  const hook = await readHook(visit);
  const event = attempt?.typed.get('event') ?? visit.query.get('event') ?? eventsOf(hook)[0] ?? 'User.Created';
  const faults = faultsWithStatus(attempt);
  const isKnown = eventOptions.some(([type]) => type === event);
  return {
    title: `Test ${hook.name}`,
    lead: 'Sends one signed sample with made-up data, and waits for the answer. It leaves no delivery.',
    back: { path: hookPath(hook), label: hook.name },
    content: html`${facts([['Sends to', copyable(hook.config.url)]])}
${formOf(visit, {
  path: visit.path,
  content: field({ name: 'event', label: 'Event', options: eventOptions, value: event, faults }),
  submit: 'Send',
  cancel: hookPath(hook),
  faults,
})}
${isKnown && section('What is sent', rawJson({ ...sampleOf(event as EventType, visit.now), hookId: hook.id }))}`,
  };
}

async function send(visit: Visit): Promise<Next> {
  const hook = await readHook(visit);
  const event = visit.sent.get('event') ?? '';
  await visit.perform('POST /hooks/:id/test', { params: visit.params, body: { events: [event], config: hook.config } });
  const text = `Your server took the sample of ${event}.`;
  return { to: `${hookPath(hook, '/test')}?${new URLSearchParams({ event })}`, flash: { text } };
}

export const testPages = [form(`${HOOK}/test`, showTest, send)];
