import { describe, expect, it } from 'vitest';
import { normalEmail, normalPhone } from '../../src/base/email-and-phone.ts';
import { connect } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createDatabase, databases } from '../support/databases.ts';
import { withRows } from '../support/rows-of.ts';
import { startService } from '../support/start-service.ts';
import { Mailbox } from './mailbox.ts';
import { authorization, Visitor } from './visitor.ts';

const NOT_ADDRESSES = [
  'a;bomb@corp.example',
  'b,bomb@corp.example',
  'c<bomb@corp.example>',
  '(e)bomb@corp.example',
  'x:bomb@corp.example;',
  '"b o"@corp.example',
  'bomb@corp.example/x',
  'bomb@corp.example?x',
  'bomb@corp.example:25',
  'bomb@%63orp.example',
  'bomb@corp.example.',
  'bo..mb@corp.example',
  'bomb@127.0.0.1',
  'bomb@0x7f.1',
  'bomb@corp_.example',
];

describe.each(databases)('the canonical spelling of identifiers on %s', (kind) => {
  it('refuses addresses that a mail program would parse as another mailbox', async () => {
    await using mailbox = await Mailbox.start();
    await using service = await startService(kind, { SMTP_URL: mailbox.url });
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service, { first_screen: 'register' })).url);
    for (const identifier of NOT_ADDRESSES) {
      const { status, text } = await visitor.submit('identifier', { identifier });
      expect({ status, text }, identifier).toMatchObject({
        status: 422,
        text: expect.stringContaining('Enter a valid username or email address.'),
      });
      expect(await service.api.call('POST /users', { primaryEmail: identifier }), identifier).toMatchObject({
        status: expect.toSatisfy((status) => status === 400 || status === 422),
      });
    }
    // Full-width letters name the same mailbox, so they share its pause between two codes.
    expect((await visitor.submit('identifier', { identifier: 'Bomb@ｃorp.example' })).status).toBe(200);
    await mailbox.code();
    expect(mailbox.mails).toMatchObject([{ to: 'bomb@corp.example' }]);
    await visitor.open(`${visitor.page?.url}?change`);
    expect((await visitor.submit('identifier', { identifier: 'ｂomb@corp.example' })).status).toBe(200);
    await visitor.open((await authorization(service, { first_screen: 'register' })).url);
    expect((await visitor.submit('identifier', { identifier: 'ｂomb@corp.example' })).status).toBe(429);
  });

  it('does not create two accounts for two spellings, and refuses impossible phone numbers', async () => {
    await using service = await startService(kind);
    const { id } = await service.api.must('POST /users', { primaryPhone: '610412345678' });
    expect(await service.api.must(`GET /users/${id}`)).toMatchObject({ primaryPhone: '61412345678' });
    expect(await service.api.call('POST /users', { primaryPhone: '61412345678' })).toMatchObject({
      status: 422,
      body: { code: 'user.phone_already_in_use' },
    });
    for (const route of ['POST /users', `PATCH /users/${id}`]) {
      expect(await service.api.call(route, { primaryPhone: '99999' })).toMatchObject({
        status: 422,
        body: { code: 'user.invalid_phone' },
      });
      expect(await service.api.call(route, { primaryEmail: 'a(x)@corp.example' })).toMatchObject({
        status: expect.toSatisfy((status) => status === 400 || status === 422),
      });
    }
    await service.api.must('POST /users', { primaryEmail: 'Ann@Corp.example', password: 'violet harbour ninety' });
    expect(await service.api.call('POST /users', { primaryEmail: 'ann@corp.example' })).toMatchObject({
      body: { code: 'user.email_already_in_use' },
    });
    await service.api.must(`PATCH /users/${id}/password`, { password: 'violet harbour ninety' });
    for (const identifier of ['+61 (0)412 345 678', 'ＡＮＮ@corp.example']) {
      const visitor = new Visitor(service.url);
      await visitor.open((await authorization(service)).url);
      await visitor.submit('identifier', { identifier });
      await visitor.submit('password', { password: 'violet harbour ninety' });
      expect(visitor.left?.searchParams.has('code'), identifier).toBe(true);
    }
    const visitor = new Visitor(service.url);
    await visitor.open((await authorization(service)).url);
    expect(await visitor.submit('identifier', { identifier: '99999' })).toMatchObject({
      status: 422,
      text: expect.stringContaining('with its country code'),
    });
  });

  it('rewrites the spelling of an earlier release unless another account has the new one', async () => {
    await using database = await createDatabase(kind);
    await using service = await startService(kind, {}, database);
    const { id: first } = await service.api.must('POST /users', { username: 'first' });
    const { id: second } = await service.api.must('POST /users', { username: 'second' });
    await withRows(service, async (store) => {
      await store.change('users', { id: first }, { primaryPhone: '610412345678', primaryEmail: 'a@münchen.example' });
      await store.change('users', { id: second }, { primaryPhone: '6100412345678', primaryEmail: 'not one' });
    });
    await service.stop();
    const settings = { databaseUrl: database.url, dataDir: database.dataDir, poolSize: 2 };
    const { write, close } = connect(settings);
    await write(async (db) => {
      await db.raw('alter table connectors drop column assume_email_verified');
      await db.raw(`delete from migrations where name = '019_one_spelling'`);
    });
    await close();
    expect(await migrate(settings)).toEqual(['019_one_spelling']);
    await withRows(service, async (store) => {
      expect(await store.get('users', { id: first })).toMatchObject({
        primaryPhone: '61412345678',
        primaryEmail: 'a@xn--mnchen-3ya.example',
      });
      expect(await store.get('users', { id: second })).toMatchObject({ primaryEmail: 'not one' });
    });
  });
});

it('parses a megabyte without delay', () => {
  const texts = ['a@'.padEnd(1e6, 'a.'), 'a.'.repeat(5e5), '@'.repeat(1e6), '1'.repeat(1e6), '+(('.repeat(3e5)];
  const before = process.cpuUsage();
  for (const text of texts) expect([normalEmail(text), normalPhone(text)]).toEqual([undefined, undefined]);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});
