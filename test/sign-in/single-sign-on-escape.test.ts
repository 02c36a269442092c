import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { withRows } from '../support/rows-of.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Issuer } from './issuer.ts';
import { PASSWORD } from './stage.ts';
import { authorization, Visitor } from './visitor.ts';

const judy = { username: 'judy', primaryEmail: 'judy@corp.example', password: PASSWORD };

/** Signs in with Judy's username and password up to the identification. */
async function identifyByPassword(service: TestService) {
  const { call } = await experience(service);
  const identifier = { type: 'username', value: judy.username };
  const { body } = await call('POST /verification/password', { identifier, password: PASSWORD });
  return call('POST /identification', body);
}

const refused = { status: 422, body: { code: 'session.sso_required', data: { target: 'corp' } } };

describe.each(databases)('a single sign-on connector on %s', (kind) => {
  it('applies to an account that linked the provider before it became single sign-on', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    const connector = await issuer.connect(service, { domains: [] });
    const { id } = await service.api.must('POST /users', judy);
    issuer.claims = { sub: 'judy', email: judy.primaryEmail, email_verified: true };
    const visitor = new Visitor(service.url);
    await visitor.open(`${service.url}/account`);
    await visitor.submit('identifier', { identifier: judy.username });
    await visitor.submit('password', { password: PASSWORD });
    await visitor.submit('link/corp');
    await issuer.through(visitor);
    await visitor.submit('link');
    await visitor.open(`${service.url}/account?unlink=corp`);
    await service.api.must(`PATCH /connectors/${connector.id}`, { domains: ['corp.example'] });
    await service.api.must(`PATCH /users/${id}`, { primaryEmail: 'judy@private.example' });

    expect(await identifyByPassword(service)).toMatchObject(refused);
    expect((await visitor.submit('unlink')).status).toBe(422);
    expect(Object.keys((await service.api.must(`GET /users/${id}`)).identities)).toEqual(['corp']);
  });

  it('refuses to rename a connector with linked accounts', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    const { id: connector } = await issuer.connect(service);
    const rename = (target: string) => service.api.call(`PATCH /connectors/${connector}`, { target });
    expect((await rename('corporate')).status).toBe(200);
    expect((await rename('corp')).status).toBe(200);

    const { id } = await service.api.must('POST /users', judy);
    issuer.claims = { sub: 'judy', email: judy.primaryEmail, email_verified: true };
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    await visitor.submit('identifier', { identifier: judy.primaryEmail });
    await issuer.through(visitor);
    expect(visitor.left?.searchParams.has('code')).toBe(true);
    await service.api.must(`PATCH /users/${id}`, { primaryEmail: 'judy@private.example' });

    expect(await rename('corporate')).toMatchObject({ status: 422, body: { code: 'connector.has_identities' } });
    expect((await rename('corp')).status).toBe(200); // Sending the current name is no change.
    expect(await identifyByPassword(service)).toMatchObject(refused);
  });

  it('applies to an account whose address an older release stored in another spelling', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', { username: judy.username, password: PASSWORD });
    await withRows(service, (store) => store.change('users', { id }, { primaryEmail: 'Judy@Corp.Example' }));
    await issuer.connect(service);
    expect(await identifyByPassword(service)).toMatchObject(refused);
  });

  it('does not combine the address of the ID token with the verification from userinfo', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    await issuer.connect(service);
    const { id } = await service.api.must('POST /users', { primaryEmail: 'ceo@corp.example' });
    const arrive = async (claims: Record<string, unknown>, info: Record<string, unknown>) => {
      issuer.claims = { sub: 'mallory', ...claims };
      issuer.info = info;
      const visitor = new Visitor(service.url);
      const { url, tokensAt } = await authorization(service);
      await visitor.open(url);
      await visitor.submit('identifier', { identifier: 'mallory@corp.example' });
      const { status } = await issuer.through(visitor);
      return visitor.left ? (await tokensAt(visitor.left)).claims()?.sub : status;
    };
    const ceo = { email: 'ceo@corp.example' };
    const mallory = { email: 'mallory@corp.example' };
    expect(await arrive(ceo, { ...mallory, email_verified: true })).toBe(422);
    expect(await arrive({ ...ceo, email_verified: true }, mallory)).toBe(422);
    expect(await arrive(ceo, { email_verified: true })).toBe(422);
    expect(await arrive({ email_verified: true }, ceo)).toBe(422);
    expect(await arrive({ ...ceo, email_verified: false }, { ...ceo, email_verified: true })).toBe(422);
    // Either source may state the verification if both name the same address.
    expect(await arrive(ceo, { email: 'CEO@corp.example', email_verified: true })).toBe(id);
  });
});
