import { shellQuoted } from '../../../base/shell.ts';
import { type Html, html } from '../../../pages/html.ts';
import type { Result } from '../../api.ts';
import { state, when } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import type { Hook } from './hook.ts';

export type DeliveryWithAttempts = Result<'GET /hooks/:id/deliveries/:deliveryId'>;
type Attempt = DeliveryWithAttempts['attemptLog'][number];

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Text of a request or response, formatted if it is JSON. The button copies it as it is. */
export const block = (text: string): Html =>
  html`<div class="raw-body"><button type="button" class="button compact" hidden data-copy="${text}">Copy</button><pre class="mono" tabindex="0">${pretty(text)}</pre></div>`;

type Header = readonly [name: string, value: string];

/** Headers of an attempt that reveal nothing. */
const openHeaders = ({ eventId }: DeliveryWithAttempts, { startedAt }: Attempt): Header[] => [
  ['content-type', 'application/json'],
  ['user-agent', 'Understudy'],
  ['webhook-id', eventId],
  ['webhook-timestamp', String(Math.floor(startedAt / 1000))],
];

/** Headers whose values are hidden: the signatures, and configured headers, which may be secrets. */
const hiddenHeaders = ({ config }: Hook): Header[] => [
  ...Object.keys(config.headers ?? {}).map((name) => [name.toLowerCase(), '…'] as const),
  ['webhook-signature', 'v1,…'],
  ['logto-signature-sha-256', '…'],
];

/**
 * Returns a command that repeats an attempt, without the hidden headers. Rejected: signing it again. A signature is a
 * valid request in the hands of anyone who gets the command, and expires after minutes.
 */
export const curlOf = (hook: Hook, delivery: DeliveryWithAttempts, attempt: Attempt): string =>
  [
    `curl --globoff --request POST ${shellQuoted(hook.config.url)}`,
    ...openHeaders(delivery, attempt).map(([name, value]) => `--header ${shellQuoted(`${name}: ${value}`)}`),
    ...(delivery.body === undefined ? [] : [`--data-raw ${shellQuoted(delivery.body)}`]),
  ].join(' \\\n  ');

function requestOf(hook: Hook, delivery: DeliveryWithAttempts, attempt: Attempt): Html {
  const lines = [...hiddenHeaders(hook), ...openHeaders(delivery, attempt)].map(([name, value]) => `${name}: ${value}`);
  return html`<p class="mono">POST ${hook.config.url}</p><pre class="mono" tabindex="0">${lines.join('\n')}</pre>${delivery.body !== undefined && block(delivery.body)}
<p class="hint"><button type="button" class="button compact" hidden data-copy="${curlOf(hook, delivery, attempt)}">Copy as curl</button> The command has neither the signature, which expires, nor the values of your own headers. To send a signed request, redeliver the event.</p>`;
}

/** An attempt with its result, its request and its response. */
export function attemptItem(
  request: ConsoleRequest,
  hook: Hook,
  delivery: DeliveryWithAttempts,
  attempt: Attempt,
): Html {
  const { number, startedAt, durationMs, status, errorMessage, responseBody, isSuccess } = attempt;
  return html`<li class="attempt"><div class="row"><h3>Attempt ${number}</h3>${verdictOf(attempt)}<span class="quiet">${when(startedAt, request.now)}, ${durationMs} ms</span></div>
${!isSuccess && errorMessage && html`<p>${errorMessage}</p>`}
<details><summary>Request</summary><div class="tight">${requestOf(hook, delivery, attempt)}</div></details>
<details${!isSuccess && responseBody && html` open`}><summary>Response</summary>${responseBody ? block(responseBody) : html`<p class="quiet">${status === null ? 'No response.' : 'Empty body.'}</p>`}</details></li>`;
}

export const verdictOf = ({ isSuccess, status }: Pick<Attempt, 'isSuccess' | 'status'>): Html =>
  state(isSuccess ? 'ok' : 'bad', status === null ? 'No response' : `Responded ${status}`);
