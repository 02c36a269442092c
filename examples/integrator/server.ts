/**
 * An integrator's own backend: `POST /api/request-impersonation`. This is the only place that decides who may
 * impersonate whom. The service issues a subject token to anyone with the credentials of the machine-to-machine
 * application.
 */
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';

function setting(name: string, fallback?: string): string {
  const value = process.env[name] || fallback;
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const ENDPOINT = setting('ENDPOINT'); // The service's endpoint, without a trailing slash.
const MANAGEMENT_API = setting('MANAGEMENT_API_INDICATOR', `${ENDPOINT}/api`);
const CLIENT_CREDENTIALS = btoa(`${setting('MACHINE_CLIENT_ID')}:${setting('MACHINE_CLIENT_SECRET')}`);
const SUPPORT_APPLICATION = setting('SUPPORT_APPLICATION_ID'); // Actors sign in to it, and it performs the exchange.
const SUPPORT_ROLE = setting('SUPPORT_ROLE', 'Support');

/** An error whose message is returned to the caller. */
const refusal = (status: number, message: string) => Object.assign(new Error(message), { status });

type CallOptions = { authorization?: string; form?: Record<string, string>; json?: object };

/** Calls the service with a form, a JSON body or no body. */
async function callService<Result>(path: string, { authorization, form, json }: CallOptions): Promise<Result> {
  const response = await fetch(`${ENDPOINT}${path}`, {
    method: form || json ? 'POST' : 'GET',
    headers: { ...(authorization && { authorization }), ...(json && { 'content-type': 'application/json' }) },
    body: form ? new URLSearchParams(form) : json ? JSON.stringify(json) : null,
    signal: AbortSignal.timeout(5_000),
  });
  const result = (await response.json()) as Result & { message: string };
  if (response.ok) return result;
  if (response.status === 401) accessToken.until = 0; // The token may have been revoked. The next request gets a new one.
  // An unknown or suspended user is the caller's mistake. If the service refuses this backend, that is our mistake:
  // 502.
  throw refusal([404, 422].includes(response.status) ? response.status : 502, result.message);
}

const accessToken = { token: '', until: 0 };

/** Returns the Authorization header for the Management API. The token is cached until a minute before it expires. */
async function managementAuthorization(): Promise<string> {
  if (accessToken.until < Date.now()) {
    const form = { grant_type: 'client_credentials', resource: MANAGEMENT_API, scope: 'all' };
    const { access_token: token, expires_in: seconds } = await callService<{
      access_token: string;
      expires_in: number;
    }>('/oidc/token', { authorization: `Basic ${CLIENT_CREDENTIALS}`, form });
    Object.assign(accessToken, { token, until: Date.now() + (seconds - 60) * 1000 });
  }
  return `Bearer ${accessToken.token}`;
}

/**
 * Returns the actor's user id. The token must be active, have the scope `openid` and belong to the support application,
 * so that no other application can pass on the tokens of its users.
 */
async function actorOf(authorization = ''): Promise<string> {
  const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
  if (!token) throw refusal(401, 'an access token is required: Authorization: Bearer …');
  const { active, sub, scope } = await callService<{ active: boolean; sub?: string; scope?: string }>(
    '/oidc/token/introspection',
    { form: { token, client_id: SUPPORT_APPLICATION } },
  );
  if (!active || !sub || !scope?.split(' ').includes('openid')) throw refusal(401, 'the access token is not valid');
  return sub;
}

/** Your policy goes here. Roles are read for every request, so removing a role takes effect immediately. */
async function requireSupport(actorId: string): Promise<void> {
  const roles = await callService<{ name: string }[]>(`/api/users/${actorId}/roles`, {
    authorization: await managementAuthorization(),
  });
  if (!roles.some(({ name }) => name === SUPPORT_ROLE))
    throw refusal(403, `only users with the role ${SUPPORT_ROLE} may impersonate`);
}

function requireText(body: Record<string, unknown> | undefined, name: string): string {
  const value = body?.[name];
  if (typeof value === 'string' && value.trim()) return value;
  throw refusal(400, `${name} must be a non-empty string`);
}

const onError: ErrorRequestHandler = ({ name, status = 500, message }, _request, response, _next) => {
  if (name === 'TimeoutError' || message === 'fetch failed')
    response.status(502).json({ error: 'the service did not respond' });
  else response.status(status).json({ error: status === 500 ? 'failed' : message });
};

const server = express()
  .use(express.json())
  .post('/api/request-impersonation', async ({ headers, body }, response) => {
    const actorId = await actorOf(headers.authorization);
    await requireSupport(actorId);
    const [userId, reason, ticketId] = ['userId', 'reason', 'ticketId'].map((name) => requireText(body, name));
    if (userId === actorId) throw refusal(400, 'userId must not be the actor');

    const minted = await callService<{ subjectToken: string; expiresIn: number }>('/api/subject-tokens', {
      authorization: await managementAuthorization(),
      json: {
        userId,
        context: { ticketId, reason, supportEngineerId: actorId },
        // Binds the token: it is useless to anyone but this actor in this application.
        actorId,
        clientId: SUPPORT_APPLICATION,
      },
    });
    response.set('Cache-Control', 'no-store').json(minted);
  })
  .use(onError)
  .listen(Number(setting('PORT', '4000')), () => {
    console.log(`Listening at http://localhost:${(server.address() as AddressInfo).port}`);
  });
