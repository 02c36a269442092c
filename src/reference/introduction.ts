import { type Html, html } from '../pages/html.ts';
import { codeBlock, samples } from './code.ts';
import { commonErrors, type Group, type OpenApi } from './document.ts';
import { errorList, type SectionParts } from './operation.ts';
import { curlOf, curlToken, nodeOf, nodeToken } from './samples.ts';

interface IntroductionParts extends SectionParts {
  document: OpenApi;
  groups: readonly Group[];
  hasEvents: boolean;
}

const ERROR = {
  code: 'guard.invalid_input',
  message: 'The body of the request is not valid.',
  details: 'body.username: must match pattern "^[A-Za-z_]\\w*$"',
};

/** The first page: how to get a token, and what holds for every operation. */
export function introduction(parts: IntroductionParts): Html {
  const { document, groups, hasEvents, addresses, messageOf } = parts;
  const first = groups[0]?.operations[0];
  return html`<section class="stack"><h2>Get an access token</h2>
<p>Every request needs an access token of a machine-to-machine application that has a role with the scope <code>${addresses.scope}</code>. Put the client ID and secret of the application into <code>CLIENT_ID</code> and <code>CLIENT_SECRET</code>. The token is valid for one hour; request it again when it has expired.</p>
${samples('token', [
  { language: 'curl', text: curlToken(addresses) },
  { language: 'Node', text: nodeToken(addresses) },
])}</section>
<section class="stack"><h2>Make a request</h2>
<p>The base URL is <code>${addresses.api}</code>. Request and response bodies are JSON.</p>
${
  first &&
  samples('first', [
    { language: 'curl', text: curlOf(first, addresses) },
    { language: 'Node', text: nodeOf(first, addresses) },
  ])
}</section>
<section class="stack"><h2>Operations</h2>
<ul class="list">${groups.map(({ slug, name, operations }) => html`<li><a href="docs/${slug}">${name}</a> <span class="quiet small">${operations.length} operations</span></li>`)}${hasEvents && html`<li><a href="docs/events">Events</a> <span class="quiet small">sent to webhooks</span></li>`}</ul>
<p>The same as an OpenAPI 3.1 document: <a href="openapi.json">openapi.json</a>.</p></section>
<section class="stack"><h2>Lists</h2>
<p><code>page</code> starts at 1, and <code>page_size</code> is at most 100. The header <code>Total-Number</code> of the response has the number of items on all pages, and <code>Link</code> the first, previous, next and last page.</p></section>
<section class="stack"><h2>Ids and times</h2>
<p>Ids are opaque text. Times are milliseconds since 1970 in UTC, and durations are seconds unless the name says otherwise.</p></section>
<section class="stack"><h2>Errors</h2>
<p>An error has a code that never changes and a message for people. If the request is not valid, <code>details</code> has one line for each fault. An unknown field is refused. Quote the response header <code>X-Request-Id</code> when you report a failure.</p>
${codeBlock(JSON.stringify(ERROR, null, 2))}
<details class="inner"><summary>Errors of every operation</summary>${errorList(commonErrors(document), messageOf)}</details></section>
<section class="stack"><h2>Versions</h2>
<p>Minor releases only add. Ignore fields and events that you don’t know. This is version ${document.info.version}.</p></section>`;
}
