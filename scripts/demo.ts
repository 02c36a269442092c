import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { readCredentials } from './support/running-service.ts';
import { signIn } from './support/sign-in.ts';

export const summary = 'Run a complete impersonation against the running service, and show every request and response.';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const WEBHOOK_TIMEOUT_MS = 5_000;

let step = 0;
const say = (text = '') => console.log(text);
const heading = (text: string) => {
  step += 1;
  say(`\n── ${step}. ${text}`);
};
const indent = (text: string) => text.replace(/^/gm, '     ');
const shorten = (value: unknown) => (typeof value === 'string' && value.length > 72 ? `${value.slice(0, 56)}…` : value);
const show = (value: unknown) => say(indent(JSON.stringify(value, (_, member) => shorten(member), 2)));

/** Prints the request and its response. */
async function call(
  method: string,
  url: string,
  { json, form, headers = {} }: { json?: unknown; form?: Record<string, string>; headers?: Record<string, string> },
) {
  say(`   ${method} ${url}`);
  if (form) show(form);
  if (json) show(json);
  const body = form ? new URLSearchParams(form) : json ? JSON.stringify(json) : null;
  const response = await fetch(url, {
    method,
    body,
    headers: { ...(json ? { 'content-type': 'application/json' } : {}), ...headers },
  });
  const text = await response.text();
  say(`   ${response.status}`);
  const answer = text ? JSON.parse(text) : undefined;
  if (answer) show(answer);
  return { status: response.status, answer };
}

/** A webhook receiver on a free port. */
async function receiveOne(): Promise<{
  url: string;
  arrived: Promise<{ headers: Record<string, string>; body: string }>;
  close(): void;
}> {
  const { promise, resolve } = Promise.withResolvers<{ headers: Record<string, string>; body: string }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.end();
    resolve({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrived: promise, close: () => void server.close() };
}

export async function run(): Promise<void> {
  const { endpoint, managementApiIndicator, machine, demo } = await readCredentials();
  if (!demo) throw new Error('This service was started without the demonstration (DEMO=false).');
  const api = `${endpoint}/api`;
  const tokenEndpoint = `${endpoint}/oidc/token`;

  heading("The backend's own token: client credentials for the Management API");
  const { answer: backendToken } = await call('POST', tokenEndpoint, {
    form: { grant_type: 'client_credentials', resource: managementApiIndicator, scope: 'all' },
    headers: { authorization: `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}` },
  });
  const asBackend = { authorization: `Bearer ${backendToken.access_token}` };

  heading('A webhook that subscribes to changes of users');
  const receiver = await receiveOne();
  const { answer: hook } = await call('POST', `${api}/hooks`, {
    json: { name: 'Demo', events: ['User.Data.Updated'], config: { url: receiver.url } },
    headers: asBackend,
  });

  try {
    heading('A subject token: single-use, for one user');
    const { answer: minted } = await call('POST', `${api}/subject-tokens`, {
      json: {
        userId: demo.subject.id,
        context: { ticketId: 'TICKET-7', reason: 'Order is missing', supportEngineerId: demo.actor.id },
      },
      headers: asBackend,
    });

    heading(`The actor signs in through the page, as ${demo.actor.username}: authorization code with PKCE`);
    const { tokens } = await signIn({
      endpoint,
      clientId: demo.clientId,
      redirectUri: demo.redirectUri,
      person: demo.actor,
      onStep: (method, url, status) => say(`   ${method} ${url.origin}${url.pathname}  →  ${status}`),
    });
    say(`   access token of the actor: ${shorten(tokens.access_token)}`);

    heading('The exchange (RFC 8693): subject token and actor token in, access token out');
    const exchange = {
      grant_type: TOKEN_EXCHANGE,
      client_id: demo.clientId,
      subject_token: minted.subjectToken,
      subject_token_type: ACCESS_TOKEN,
      actor_token: tokens.access_token,
      actor_token_type: ACCESS_TOKEN,
      resource: demo.resource,
      scope: demo.scope,
    };
    const { answer: issued } = await call('POST', tokenEndpoint, { form: exchange });

    heading("What the resource server sees, verified with the service's public keys");
    const { payload } = await jwtVerify(issued.access_token, createRemoteJWKSet(new URL(`${endpoint}/oidc/jwks`)), {
      typ: 'at+jwt',
      issuer: `${endpoint}/oidc`,
      audience: demo.resource,
    });
    show(payload);

    heading('The same subject token once more: refused');
    await call('POST', tokenEndpoint, { form: exchange });

    heading('A change of the user, and the webhook that announces it');
    await call('PATCH', `${api}/users/${demo.subject.id}/custom-data`, {
      json: { customData: { lastHelpedAt: new Date().toISOString() } },
      headers: asBackend,
    });
    const timeout = setTimeout(() => {
      console.error('   no webhook arrived; see the log of the service');
      process.exit(1);
    }, WEBHOOK_TIMEOUT_MS);
    const { headers, body } = await receiver.arrived;
    clearTimeout(timeout);
    new Webhook(hook.webhookSecret).verify(body, headers);
    say('   the webhook arrived, and its signature is valid:');
    show(JSON.parse(body));
  } finally {
    receiver.close();
    await fetch(`${api}/hooks/${hook.id}`, { method: 'DELETE', headers: asBackend });
  }
  say(`\nDone. List all impersonations with GET ${api}/impersonations`);
}
