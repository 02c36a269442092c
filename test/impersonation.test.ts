import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN } from '../src/tokens/urns.ts';
import { castOf, verifyAccessToken } from './support/cast.ts';
import { databases } from './support/databases.ts';
import { startService } from './support/start-service.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';

describe.each(databases)('impersonation on %s', (kind) => {
  it('lets support act as a customer, once', async () => {
    await using service = await startService(kind);
    const { alice, bob, spa, resource, scope } = castOf(service);

    // The integrator's backend asks for a subject token (docs/wire-contract.md, Mint).
    const minted = await service.api.call('POST /subject-tokens', {
      userId: bob.id,
      context: { ticketId: 'TICKET-7', reason: 'Order is missing', supportEngineerId: alice.id },
    });
    expect(minted.status).toBe(201);
    expect(minted.body).toEqual({ subjectToken: expect.stringMatching(/^sub_[\w-]{43}$/), expiresIn: 600 });

    // The actor's application exchanges it (docs/wire-contract.md, Token exchange).
    const exchange = { subject_token: minted.body.subjectToken, actor_token: await spa.signIn(alice) };
    const { status, headers, body } = await spa.exchange(exchange);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: 3600,
      scope,
    });

    // The token is for the subject, names the actor, and has the claims of the tenant's script (2.5, 2.6).
    const claims = await verifyAccessToken(service, body.access_token, resource);
    expect(claims).toMatchObject({
      sub: bob.id,
      aud: resource,
      iss: `${service.url}/oidc`,
      client_id: spa.clientId,
      scope,
      act: { sub: alice.id },
      impersonation_context: { ticket_id: 'TICKET-7', reason: 'Order is missing', support_engineer: alice.id },
    });
    expect((claims.exp as number) - (claims.iat as number)).toBe(3600);

    // A subject token works only once.
    const again = await spa.exchange(exchange);
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({
      error: 'invalid_request',
      error_description: 'subject token was already used',
      code: 'oidc.invalid_request',
    });
  });

  it('issues a token without an `act` claim when no actor token is sent', async () => {
    await using service = await startService(kind);
    const { bob, spa, resource, mint } = castOf(service);
    const { body } = await spa.exchange({ subject_token: await mint() });
    const claims = await verifyAccessToken(service, body.access_token, resource);
    expect(claims.sub).toBe(bob.id);
    expect(claims).not.toHaveProperty('act');
  });

  it('sends a change of the subject to a subscribed webhook', async () => {
    await using service = await startService(kind);
    await using receiver = await WebhookReceiver.start();
    const { bob } = castOf(service);
    await service.api.must('POST /hooks', {
      name: 'Users',
      events: ['User.Data.Updated'],
      config: { url: receiver.url },
    });

    const changed = await service.api.call(`PATCH /users/${bob.id}`, { name: 'Casey C. Customer' });
    expect(changed.status).toBe(200);
    const { body } = await receiver.next();
    expect(JSON.parse(body)).toMatchObject({
      event: 'User.Data.Updated',
      method: 'PATCH',
      matchedRoute: '/users/:userId',
      params: { userId: bob.id },
      data: { id: bob.id, name: 'Casey C. Customer' },
    });
  });
});
