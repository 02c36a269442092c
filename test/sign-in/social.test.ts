import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Issuer } from './issuer.ts';
import { secondTenant } from './second-tenant.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const EVENTS = ['User.Created', 'PostRegister', 'PostSignIn', 'User.Data.Updated'];

async function throughProvider(visitor: Visitor): Promise<void> {
  await visitor.submit('identifier', { identifier: 'kim' });
  await visitor.submit('password', { password: PASSWORD });
}

const linkTo = (visitor: Visitor) => /href="([^"]*\/social\/acme)"/.exec(visitor.page?.html ?? '')?.[1] as string;
const seen = (receiver: WebhookReceiver) =>
  receiver.arrivals
    .splice(0)
    .map(({ event }) => event)
    .sort();

async function start(service: TestService) {
  const receiver = await WebhookReceiver.start();
  await service.api.must('POST /hooks', { name: 'people', events: EVENTS, config: { url: receiver.url } });
  return receiver;
}

describe.each(databases)('an identity provider on %s', (kind) => {
  it('creates an account at the first sign-in, and signs in to it at the next', async () => {
    await using service = await startService(kind);
    const { kim } = await secondTenant(service);
    await using receiver = await start(service);
    const visitor = new Visitor(service.url);
    const first = await authorization(service);
    await visitor.open(first.url);
    expect(visitor.page?.text).toContain('Continue with Acme ID');
    await visitor.open(linkTo(visitor));
    expect(visitor.page?.text).toContain('Sign in to Acme ID');
    await throughProvider(visitor);
    const id = (await first.tokensAt(visitor.left as URL)).claims()?.sub as string;
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({
      name: 'Kim',
      hasPassword: false,
      identities: { acme: { userId: kim } },
    });
    await receiver.reach(2);
    expect(seen(receiver)).toEqual(['PostRegister', 'User.Created']);

    const again = new Visitor(service.url);
    const second = await authorization(service);
    await again.open(second.url);
    await again.open(linkTo(again));
    await throughProvider(again);
    expect((await second.tokensAt(again.left as URL)).claims()?.sub).toBe(id);
    await receiver.next('PostSignIn');
    expect(seen(receiver)).toEqual(['PostSignIn']);
  });

  it('refuses a response that this browser did not request', async () => {
    await using service = await startService(kind);
    await secondTenant(service);
    const visitor = new Visitor(service.url);
    const { url } = await visitor.open((await authorization(service)).url);
    const asked = await visitor.send(new URL(linkTo(visitor), url));
    const state = new URL(String(asked.headers.get('location'))).searchParams.get('state') as string;
    const [owner] = state.split('.');
    const forged = await visitor.open(`${service.url}/sign-in/callback/acme?code=x&state=${owner}.forged`);
    expect(forged).toMatchObject({
      status: 422,
      text: expect.stringContaining("Acme ID couldn't confirm your identity"),
    });
    const otherVisitor = new Visitor(service.url);
    const stolen = await otherVisitor.open(`${service.url}/sign-in/callback/acme?code=x&state=${state}`);
    expect(stolen.status).toBe(404);
    // Neither the provider nor the page that it redirects to learns the interaction's id.
    const uid = url.pathname.split('/').at(-1) as string;
    expect(`${asked.headers.get('location')} ${stolen.url} ${stolen.html}`).not.toContain(uid);
  });

  it('links to an account with the same address only after its owner has proven it', async () => {
    await using service = await startService(kind);
    const { kim } = await secondTenant(service, { scope: 'openid profile email' });
    const { id } = await service.api.must('POST /users', {
      primaryEmail: 'kim@acme.example',
      password: 'of the other account',
    });
    await using receiver = await start(service);
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service);
    await visitor.open(url);
    await visitor.open(linkTo(visitor));
    await throughProvider(visitor);
    expect(visitor.left).toBeUndefined();
    expect(visitor.page?.text).toContain('An account with kim@acme.example already exists');
    expect((await visitor.submit('password', { password: 'a wrong guess' })).status).toBe(422);
    await visitor.submit('password', { password: 'of the other account' });
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ identities: { acme: { userId: kim } } });
    await receiver.reach(2);
    expect(seen(receiver)).toEqual(['PostSignIn', 'User.Data.Updated']);
  });

  it('is found by the domain of an address, and is then required (single sign-on)', async () => {
    await using service = await startService(kind);
    const { kim } = await secondTenant(service, { domains: ['acme.example'] });
    const { id } = await service.api.must('POST /users', { primaryEmail: 'kim@acme.example' });
    await using receiver = await start(service);
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service);
    await visitor.open(url);
    expect(visitor.page?.text).not.toContain('Continue with Acme ID');
    await visitor.submit('identifier', { identifier: 'kim@acme.example' });
    await throughProvider(visitor);
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);
    await receiver.reach(2);
    expect(seen(receiver)).toEqual(['PostSignIn', 'User.Data.Updated']);
    expect(await service.api.must(`GET /users/${id}?includeSsoIdentities=true`)).toMatchObject({
      identities: {},
      ssoIdentities: [{ target: 'acme', identityId: kim }],
    });
  });
});

describe('connectors', () => {
  it('send the client secret in the way that the provider supports', async () => {
    await using service = await startService('sqlite');
    await using issuer = await Issuer.start();
    await issuer.connect(service, { domains: [] });
    const given = async (methods: string[] | undefined) => {
      issuer.authMethods = methods;
      issuer.claims = { sub: 'kim' };
      const visitor = new Visitor(service.url);
      const { url } = await visitor.open((await authorization(service)).url);
      await visitor.open(`${url.pathname}/social/corp`);
      await issuer.through(visitor);
      return issuer.given;
    };
    const inHeader = { header: `Basic ${btoa('understudy:secret')}`, body: null };
    expect(await given(undefined)).toEqual(inHeader);
    expect(await given(['client_secret_post', 'client_secret_basic'])).toEqual(inHeader);
    expect(await given(['client_secret_post'])).toEqual({ header: undefined, body: 'secret' });
  });

  it('never return their client secret', async () => {
    await using service = await startService('sqlite');
    const fields = { name: 'Acme', issuer: 'https://id.acme.example', clientId: 'c', clientSecret: 's3cret' };
    const made = await service.api.must('POST /connectors', { target: 'acme', ...fields, domains: ['acme.example'] });
    expect(made).toMatchObject({ target: 'acme', scope: 'openid profile email', domains: ['acme.example'] });
    expect(JSON.stringify([made, await service.api.must('GET /connectors')])).not.toContain('s3cret');
    expect(await service.api.call('POST /connectors', { target: 'acme', ...fields })).toMatchObject({
      status: 422,
      body: { code: 'connector.target_in_use' },
    });
    expect(
      await service.api.call('POST /connectors', { target: 'other', ...fields, domains: ['acme.example'] }),
    ).toMatchObject({ status: 422, body: { code: 'connector.domain_in_use' } });
    const changed = await service.api.must(`PATCH /connectors/${made.id}`, { name: 'Acme ID', domains: [] });
    expect(changed).toMatchObject({ name: 'Acme ID', domains: [] });
    expect((await service.api.call(`DELETE /connectors/${made.id}`)).status).toBe(204);
    expect((await service.api.call(`GET /connectors/${made.id}`)).status).toBe(404);
  });
});
