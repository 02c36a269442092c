import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { withRows } from '../support/rows-of.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { Issuer } from './issuer.ts';
import { PASSWORD } from './stage.ts';
import { Visitor } from './visitor.ts';

async function atAccount(service: TestService): Promise<Visitor> {
  const visitor = new Visitor(service.url);
  await visitor.open(`${service.url}/account`);
  await visitor.submit('identifier', { identifier: 'rosa' });
  await visitor.submit('password', { password: PASSWORD });
  return visitor;
}

async function post(visitor: Visitor, address: string, typed: Record<string, string>) {
  await visitor.open(new URL('/account?edit=name', visitor.page?.url));
  const { fields } = visitor.form('name');
  return visitor.open(address, { method: 'POST', body: new URLSearchParams({ ...fields, ...typed }) });
}

describe.each(databases)('the last sign-in method of an account on %s', (kind) => {
  it('does not remove the last factor that the settings still accept if one is required', async () => {
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', { username: 'rosa', password: PASSWORD });
    await service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'Totp' });
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['WebAuthn'], policy: 'UserControlled' } });
    const visitor = await atAccount(service);
    await service.api.must('PATCH /sign-in-exp', { mfa: { factors: ['Totp'], policy: 'Mandatory' } });
    const passkey = { id: 'passkey', userId: id, type: 'WebAuthn', secretEncrypted: 'x', details: {} } as const;
    await withRows(service, (store) =>
      store.add('userFactors', [{ ...passkey, createdAt: Date.now(), lastUsedAt: null }]),
    );
    const held = async (): Promise<{ id: string; type: string }[]> =>
      service.api.must(`GET /users/${id}/mfa-verifications`);
    const totp = (await held()).find(({ type }) => type === 'Totp');
    const remove = (factor: string) => post(visitor, `${service.url}/account/remove`, { id: factor });
    expect((await remove(String(totp?.id))).status).toBe(422);
    expect((await remove('passkey')).url.search).toBe('?saved');
    expect((await held()).map(({ type }) => type)).toEqual(['Totp']);
  });

  it('does not unlink the last two providers concurrently from two browsers', async () => {
    await using issuer = await Issuer.start();
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', { username: 'rosa', password: PASSWORD });
    for (const target of ['one', 'two']) {
      await issuer.connect(service, { target, name: target, domains: [] });
      await service.api.must(`POST /users/${id}/identities/${target}`, { userId: 'rosa' });
    }
    const browsers = [await atAccount(service), await atAccount(service)];
    await withRows(service, (store) => store.change('users', { id }, { passwordHash: null }));
    for (let index = 0; index < 2; index += 1)
      await browsers[index]?.open(`${service.url}/account?unlink=${index === 0 ? 'one' : 'two'}`);
    const pages = await Promise.all(browsers.map((visitor) => visitor.submit('unlink')));
    // The later request finds the account changed and is redirected to its current state.
    expect(pages.map(({ url }) => url.search).sort()).toEqual(['', '?saved']);
    expect(Object.keys((await service.api.must(`GET /users/${id}`)).identities)).toHaveLength(1);
  });

  it('refuses control characters in paths, queries and forms of pages', async () => {
    await using service = await startService(kind);
    await service.api.must('POST /users', { username: 'rosa', password: PASSWORD });
    const visitor = await atAccount(service);
    for (const text of ['a\u0000b', 'a\u0007b', '\u001b[0m']) {
      for (const [step, field] of [
        ['name', 'name'],
        ['remove', 'id'],
        ['unlink', 'id'],
        ['username', 'identifier'],
      ] as const)
        expect((await post(visitor, `${service.url}/account/${step}`, { [field]: text })).status, step).toBe(400);
      const inUrl = encodeURIComponent(text);
      for (const place of [
        `account?unlink=${inUrl}`,
        `account?link=${inUrl}`,
        `sign-in/${inUrl}`,
        `console/-/join?link=${inUrl}`,
      ])
        expect((await visitor.send(new URL(`${service.url}/${place}`))).status, place).toBe(400);
    }
    // Line breaks are part of multi-line text, and a percent sign is no control character.
    const page = await post(visitor, `${service.url}/account/name`, { name: 'a %00\r\n\tb' });
    expect(page.url.search).toBe('?saved');
  });
});
