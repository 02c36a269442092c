import { type EventType, eventTypes } from '../events/catalogue.ts';
import { sampleOf } from '../events/sample.ts';
import { type Html, html } from '../pages/html.ts';
import { codeBlock } from './code.ts';
import type { OpenApi } from './document.ts';
import { bodyFields, type Resolve } from './fields.ts';

/** The time in sample events. */
const AT = Date.UTC(2026, 10, 23);

function eventSection(type: EventType, { webhooks }: OpenApi, resolve: Resolve): Html {
  const { summary, requestBody } = webhooks[type]?.post ?? {};
  const schema = requestBody?.content['application/json']?.schema ?? {};
  const sample = { ...sampleOf(type, AT), hookId: 'k3v8s1x6c0b5n2m7q4w9e' };
  return html`<section class="operation" id="${type}" aria-labelledby="${type}-title">
<h2 id="${type}-title"><a href="#${type}">${type}</a></h2>
<p>${summary}</p>
<div class="columns"><div class="stack"><details class="inner"><summary>Fields of the body</summary>${bodyFields(schema, resolve)}</details></div>
<div class="stack"><p class="small quiet">Example body</p>${codeBlock(JSON.stringify(sample, null, 2))}</div></div>
</section>`;
}

/** The page of the events that webhooks receive. */
export const eventsContent = (document: OpenApi, resolve: Resolve): Html =>
  html`<p>A webhook receives each event that it subscribes to as a <code>POST</code> request with a JSON body. Any 2xx response counts as delivered; any other is retried. Verify the signature of every request, and expect an event more than once and in any order.</p>
${eventTypes.map((type) => eventSection(type, document, resolve))}`;
