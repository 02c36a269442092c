import { hash } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { databases } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';
import { authorization, Visitor } from './visitor.ts';

describe.each(databases)('the settings of sign-in on %s', (kind) => {
  it('keep all fields that are changed at the same time, like those of the impersonation policy', async () => {
    await using service = await startService(kind);
    const changes = [
      { brandName: 'Acme' },
      { termsOfUseUrl: 'https://acme.example/terms' },
      { privacyPolicyUrl: 'https://acme.example/privacy' },
      { customCss: '.card { padding: 8px }' },
      { signInMode: 'SignIn' },
    ];
    const rules = [
      { requireActor: true },
      { subjectTokenTtl: 300 },
      { maxTokenTtl: 1200 },
      { requiredContextKeys: ['a'] },
    ];
    await Promise.all([
      ...changes.map((change) => service.api.must('PATCH /sign-in-exp', change)),
      ...rules.map((rule) => service.api.must('PATCH /configs/impersonation', rule)),
    ]);
    expect(await service.api.must('GET /sign-in-exp')).toMatchObject(Object.assign({}, ...changes));
    expect(await service.api.must('GET /configs/impersonation')).toMatchObject(Object.assign({}, ...rules));
  });

  it('are read, changed one by one, and reject unknown properties', async () => {
    await using service = await startService(kind);
    const before = await service.api.must('GET /sign-in-exp');
    expect(before).toMatchObject({
      tenantId: 'default',
      signInMode: 'SignInAndRegister',
      mfa: { policy: 'UserControlled' },
    });
    const after = await service.api.must('PATCH /sign-in-exp', { brandName: 'Acme', signInMode: 'SignIn' });
    expect(after).toEqual({ ...before, brandName: 'Acme', signInMode: 'SignIn' });
    expect(await service.api.must('GET /sign-in-exp')).toEqual(after);
    expect(await service.api.call('PATCH /sign-in-exp', { logoUrl: 'x' })).toMatchObject({ status: 400 });
    expect(await service.api.call('PATCH /sign-in-exp', { color: { primaryColor: 'red' } })).toMatchObject({
      status: 400,
    });
    expect(await service.api.call('PATCH /sign-in-exp', {})).toMatchObject({ status: 422 });

    const visitor = new Visitor(service.url);
    const page = await visitor.open((await authorization(service, { first_screen: 'register' })).url);
    expect(page.text).toContain('Sign in to Acme');
    expect(page.text).not.toContain('Create an account');
    const { action, fields } = visitor.form('identifier');
    const register = new URL(action.href.replace(/identifier$/, 'register'));
    const refused = await visitor.open(register, { method: 'POST', body: new URLSearchParams(fields) });
    expect(refused.status).toBe(422);
  });

  it('decide which identifiers a user can sign in with', async () => {
    await using service = await startService(kind);
    const { actor } = service.credentials.demo;
    await service.api.must('PATCH /sign-in-exp', {
      signIn: { methods: [{ identifier: 'email', password: true, verificationCode: false }] },
    });
    const visitor = new Visitor(service.url);
    const page = await visitor.open((await authorization(service)).url);
    expect(page.text).toContain('Email address');
    expect(page.text).not.toContain('Username');
    expect((await visitor.submit('identifier', { identifier: actor.username })).status).toBe(422);
  });

  it('accept an imported digest and replace it without an event', async () => {
    await using service = await startService(kind);
    const passwordDigest = await hash('from elsewhere', 5);
    const { id } = await service.api.must('POST /users', {
      username: 'oscar',
      passwordDigest,
      passwordAlgorithm: 'Bcrypt',
    });
    const visitor = new Visitor(service.url);
    const { url, tokensAt } = await authorization(service);
    await visitor.open(url);
    await visitor.submit('identifier', { identifier: 'oscar' });
    await visitor.submit('password', { password: 'from elsewhere' });
    expect((await tokensAt(visitor.left as URL)).claims()?.sub).toBe(id);

    const database = connect({ databaseUrl: service.databaseUrl, dataDir: service.dataDir, poolSize: 1 });
    const { passwordHash, updatedAt, createdAt } = await database.reader('users').where({ id }).first();
    const events = await database.reader('events').where({ type: 'User.Data.Updated' });
    await database.close();
    expect(passwordHash).toMatch(/^\$argon2id\$/);
    expect(updatedAt).toBe(createdAt);
    expect(events).toEqual([]);
  });
});
