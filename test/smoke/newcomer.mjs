/**
 * A new user's first five minutes: `npm start` in a fresh clone with only a PATH and an empty home, then one
 * impersonation over HTTP with the generated credentials, then SIGTERM. Runs on the installed Node.
 *
 * `node test/smoke/newcomer.mjs <clone> <home>`
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The first start installs packages and may compile one. */
const START_TIMEOUT_MS = 10 * 60_000;
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const [clone = '', home = ''] = process.argv.slice(2);

/** Variables that are needed to find programs and to reach the registry. */
const reach =
  /^(path|tmpdir|(https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_(file|dir)|npm_config_(registry|cafile))$/i;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => reach.test(name)));

const port = await freePort();
const service = spawn('npm', ['start'], {
  cwd: clone,
  env: { ...environment, HOME: home, PORT: String(port) },
  stdio: 'inherit',
  detached: true, // In a process group of its own, so that all of its processes can be killed.
});
const exited = once(service, 'exit');
try {
  await ready(`http://localhost:${port}/readyz`);
  const credentials = JSON.parse(await readFile(join(clone, 'data/credentials.json'), 'utf8'));
  await impersonate(credentials);
  await operate(credentials);

  service.kill('SIGTERM');
  const [code, signal] = await exited;
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, 'the service exits with 0 after SIGTERM');
  console.log('smoke: SIGTERM, exit 0');
} finally {
  if (service.exitCode === null && service.pid) process.kill(-service.pid, 'SIGKILL');
}

/** @param {any} credentials as in `data/credentials.json` */
async function impersonate({ endpoint, managementApiIndicator, machine, demo }) {
  const machineToken = await token(endpoint, {
    grant_type: 'client_credentials',
    client_id: machine.clientId,
    client_secret: machine.clientSecret,
    resource: managementApiIndicator,
    scope: 'all',
  });
  assert.equal(machineToken.status, 200, JSON.stringify(machineToken.body));
  console.log('smoke: the backend has its token');

  const minted = await fetch(`${endpoint}/api/subject-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${machineToken.body.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      userId: demo.subject.id,
      context: { ticketId: 'TICKET-7', reason: 'smoke', supportEngineerId: 'alice' },
    }),
  });
  const { subjectToken } = await read(minted);
  assert.equal(minted.status, 201);
  console.log('smoke: a subject token is minted');

  const request = {
    grant_type: TOKEN_EXCHANGE,
    client_id: demo.clientId,
    subject_token: subjectToken,
    subject_token_type: ACCESS_TOKEN,
    resource: demo.resource,
    scope: demo.scope,
  };
  const first = await token(endpoint, request);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const claims = await verified(endpoint, first.body.access_token);
  assert.equal(claims.sub, demo.subject.id);
  assert.equal(claims.aud, demo.resource);
  assert.equal(claims.scope, demo.scope);
  assert.deepEqual(claims.impersonation_context, { ticket_id: 'TICKET-7', reason: 'smoke', support_engineer: 'alice' });
  console.log('smoke: the access token is for the subject', claims);

  const second = await token(endpoint, request);
  assert.deepEqual([second.status, second.body.error], [400, 'invalid_request']);
  console.log('smoke: the second exchange is refused:', second.body.error_description);
}

/**
 * Checks that each machine-to-machine application can use only its own API.
 *
 * @param {any} credentials as in `data/credentials.json`
 */
async function operate({ endpoint, machine, operator }) {
  const ask = (/** @type {any} */ { clientId, clientSecret }) =>
    token(endpoint, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      resource: `${endpoint}/admin/api`,
      scope: 'tenants',
    });
  const [asOperator, asBackend] = [await ask(operator), await ask(machine)];
  assert.deepEqual([asOperator.body.scope, asBackend.body.scope], ['tenants', '']);
  const headers = { authorization: `Bearer ${asOperator.body.access_token}` };
  const tenants = await read(await fetch(`${endpoint}/admin/api/tenants`, { headers }));
  assert.deepEqual(
    tenants.map((/** @type {{ id: string }} */ { id }) => id),
    ['default'],
  );
  console.log('smoke: the operator can list the tenants, and the backend cannot');
}

/** @param {string} endpoint @param {Record<string, string>} parameters */
async function token(endpoint, parameters) {
  const answer = await fetch(`${endpoint}/oidc/token`, { method: 'POST', body: new URLSearchParams(parameters) });
  return { status: answer.status, body: await read(answer) };
}

/** @param {Response} answer @returns {Promise<any>} */
function read(answer) {
  return answer.json();
}

/**
 * Returns the claims after verifying the signature with a key of the JWKS.
 *
 * @param {string} endpoint
 * @param {string} jwt
 */
async function verified(endpoint, jwt) {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const decode = (/** @type {string} */ part) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const { keys } = await read(await fetch(`${endpoint}/oidc/jwks`));
  const jwk = keys.find((/** @type {{ kid: string }} */ { kid }) => kid === decode(header).kid);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  assert(
    verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
    'signature',
  );
  return decode(payload);
}

/** @param {string} url */
async function ready(url) {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await pause(250)) {
    if (service.exitCode !== null) throw new Error(`npm start ended with ${service.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`${url} never became ready`);
}

async function freePort() {
  const probe = createServer().listen(0);
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}
