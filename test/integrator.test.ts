import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { signIn } from '../scripts/support/sign-in.ts';
import { castOf, verifyAccessToken } from './support/cast.ts';
import { databases } from './support/databases.ts';
import { startService, type TestService } from './support/start-service.ts';

/** Starts the example in a process of its own. */
async function startIntegrator({ url, credentials: { machine, demo } }: TestService) {
  const child = spawn(process.execPath, ['examples/integrator/server.ts'], {
    env: {
      PORT: '0',
      ENDPOINT: url,
      MACHINE_CLIENT_ID: machine.clientId,
      MACHINE_CLIENT_SECRET: machine.clientSecret,
      SUPPORT_APPLICATION_ID: demo.clientId,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const endpoint = `${line.split(' ').at(-1)}/api/request-impersonation`;

  return {
    async request(body: unknown, accessToken?: string) {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** Signs in to another application than the support application. */
async function signInElsewhere({ url, api }: TestService, person: { username: string; password: string }) {
  const redirectUri = 'http://localhost:4500/callback';
  const { id } = await api.must('POST /applications', {
    name: 'Shop',
    type: 'SPA',
    oidcClientMetadata: { redirectUris: [redirectUri], postLogoutRedirectUris: [] },
  });
  const { tokens } = await signIn({ endpoint: url, clientId: id, redirectUri, scope: 'openid', person });
  return tokens.access_token;
}

/** Gives a user the role that the example requires for impersonation. */
async function allowImpersonation({ api }: TestService, userId: string): Promise<void> {
  const { id } = await api.must('POST /roles', { name: 'Support', description: 'May act as customers' });
  await api.must(`POST /users/${userId}/roles`, { roleIds: [id] });
}

describe.each(databases)("the integrator's backend on %s", (kind) => {
  it('issues a subject token to support, whose exchange returns a token with the actor', async () => {
    await using service = await startService(kind);
    const { alice, bob, spa, resource, scope } = castOf(service);
    await allowImpersonation(service, alice.id);
    await using backend = await startIntegrator(service);

    const actorToken = await spa.signIn(alice);
    const request = { userId: bob.id, reason: 'Order is missing', ticketId: 'TICKET-7' };
    const granted = await backend.request(request, actorToken);
    expect(granted).toEqual({ status: 200, body: { subjectToken: expect.stringMatching(/^sub_/), expiresIn: 600 } });

    const exchange = { subject_token: granted.body.subjectToken, actor_token: actorToken };
    const { status, body } = await spa.exchange(exchange);
    expect(status).toBe(200);
    expect(await verifyAccessToken(service, body.access_token, resource)).toMatchObject({
      sub: bob.id,
      aud: resource,
      scope,
      act: { sub: alice.id },
      impersonation_context: { ticket_id: 'TICKET-7', reason: 'Order is missing', support_engineer: alice.id },
    });

    // The subject token is bound to its actor: it is useless without the actor's own token.
    const next = await backend.request(request, actorToken);
    const stolen = await spa.exchange({ subject_token: next.body.subjectToken });
    expect(stolen).toMatchObject({
      status: 400,
      body: { error_description: 'subject token is bound to another actor' },
    });
  });

  it('refuses an actor without the role, an incomplete request and an invalid token', async () => {
    await using service = await startService(kind);
    const { alice, bob, spa } = castOf(service);
    await using backend = await startIntegrator(service);
    const request = { userId: bob.id, reason: 'Order is missing', ticketId: 'TICKET-7' };
    const actorToken = await spa.signIn(alice);

    expect(await backend.request(request)).toMatchObject({ status: 401 });
    expect(await backend.request(request, 'unknown')).toMatchObject({ status: 401 });
    expect(await backend.request(request, await spa.signIn(alice, 'profile'))).toMatchObject({ status: 401 });
    expect(await backend.request(request, actorToken)).toMatchObject({ status: 403 });

    await allowImpersonation(service, alice.id);
    // Any application can get a token with `openid`, but only the support application's is accepted.
    expect(await backend.request(request, await signInElsewhere(service, alice))).toMatchObject({ status: 401 });
    const { reason: _, ...without } = request;
    expect(await backend.request(without, actorToken)).toEqual({
      status: 400,
      body: { error: 'reason must be a non-empty string' },
    });
    expect(await backend.request({ ...request, userId: alice.id }, actorToken)).toMatchObject({ status: 400 });
    expect(await backend.request({ ...request, userId: 'unknown' }, actorToken)).toMatchObject({ status: 404 });

    await service.api.must(`PATCH /users/${alice.id}/is-suspended`, { isSuspended: true });
    expect(await backend.request(request, actorToken)).toMatchObject({ status: 401 });
    expect(await service.api.must('GET /subject-tokens')).toEqual([]);
  });
});
