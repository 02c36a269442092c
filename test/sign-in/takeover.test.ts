import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { experience } from './experience.ts';
import { authorization, Visitor } from './visitor.ts';

const NEW = 'copper lantern forty';

/** The customer signs in up to her password page. An attacker knows the URL of that page. */
async function victimOf(service: TestService) {
  const victim = new Visitor(service.url);
  const { url, tokensAt } = await authorization(service);
  const page = await victim.open(url);
  await victim.submit('identifier', { identifier: service.credentials.demo.actor.username });
  return { victim, uid: page.url.pathname.split('/').at(-1) as string, tokensAt };
}

/** Calls the Experience API with a forged cookie. */
const anonymousCaller =
  (service: TestService, cookie: string) => async (method: string, path: string, body?: unknown) =>
    fetch(`${service.url}/api/experience${path}`, {
      method,
      headers: { cookie: `default_experience=${cookie}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

describe.each(databases)('the privacy of a sign-in on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('does not let an attacker who knows the URL of a sign-in page read or continue it', async () => {
    const { victim, uid, tokensAt } = await victimOf(service);
    const other = await experience(service);
    const others = other.visitor.cookies.find(({ name }) => name === 'default_experience')?.value ?? '';
    const [, proof = ''] = others.split('.');
    for (const cookie of [uid, `${uid}.`, `${uid}.${proof}`, `${uid}.${'A'.repeat(proof.length)}`, `.${proof}`, '%']) {
      const send = anonymousCaller(service, cookie);
      expect((await send('GET', '/interaction')).status).toBe(404);
      expect((await send('PUT', '/interaction-event', { interactionEvent: 'Register' })).status).toBe(404);
      expect((await send('POST', '/submit')).status).toBe(404);
    }
    await victim.submit('password', { password: service.credentials.demo.actor.password });
    expect((await tokensAt(victim.left as URL)).claims()?.sub).toBe(service.credentials.demo.actor.id);
  });

  it('drops everything a registration gathered when the event changes to a sign-in', async () => {
    const { actor } = service.credentials.demo;
    const before = await service.api.must(`GET /users/${actor.id}`);
    for (const route of ['PUT /interaction-event', 'PUT /']) {
      const { call, submit } = await experience(service);
      await call(route, { interactionEvent: 'Register' });
      const mallory = { identifier: { type: 'username', value: 'mallory' }, password: NEW };
      const proof = (await call('POST /verification/new-password-identity', mallory)).body;
      expect((await call('POST /identification', proof)).status).toBe(204);
      expect((await call(route, { interactionEvent: 'SignIn' })).status).toBe(204);
      expect((await call('GET /interaction')).body).toMatchObject({ verificationRecords: [] });
      const right = { identifier: { type: 'username', value: actor.username }, password: actor.password };
      await call('POST /identification', (await call('POST /verification/password', right)).body);
      expect((await submit()).claims?.sub).toBe(actor.id);
      expect((await service.api.must(`GET /users/${actor.id}`)).username).toBe(before.username);
    }
  });

  it("does not log the interaction's id", async () => {
    let lines = '';
    const log = {
      write(line: string) {
        lines += line;
      },
    };
    await using service = await startService(kind, { LOG_LEVEL: 'debug' }, undefined, { log });
    const { victim, uid } = await victimOf(service);
    await victim.submit('password', { password: service.credentials.demo.actor.password });
    expect(victim.left).toBeDefined();
    expect(lines).toContain('/sign-in/:uid/password');
    expect(lines).toContain('/oidc/auth/:uid');
    expect(lines).not.toContain(uid);
  });

  it("does not include the interaction's id in webhooks or audit entries", async () => {
    await using receiver = await WebhookReceiver.start();
    await service.api.must('POST /hooks', { name: 'h', events: ['PostSignIn'], config: { url: receiver.url } });
    const { victim, uid } = await victimOf(service);
    await victim.submit('password', { password: 'wrong' });
    await victim.submit('password', { password: service.credentials.demo.actor.password });
    const { body } = await receiver.next('PostSignIn');
    const logs = await service.api.must('GET /logs?page_size=100');
    expect(JSON.parse(body).sessionId).toMatch(/^[\w-]{22}$/);
    expect(`${body} ${JSON.stringify(logs)}`).not.toContain(uid);
  });
});
