import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manage, unmanage } from '../../src/console/session/administrators.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the administrators on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('are added by name, and are out at once when they are removed', async () => {
    const { page, service } = stage;
    const { id } = await service.api.must('POST /users', { username: 'bo', name: 'Bo Day', password: stage.password });
    await stage.open('/settings/administrators');
    await stage.link('Add administrator').click();
    await stage.fill('Who', 'nobody');
    await press(page, 'Add');
    await page.getByText('Nobody has this username, e-mail address or id here.').waitFor();
    await look(page, 'console-administrator-add');
    await stage.fill('Who', 'bo');
    await press(page, 'Add');
    await stage.said('bo manages this tenant now.');
    await look(page, 'console-administrators');

    const theirs = await stage.browser.newContext();
    const theirPage = await theirs.newPage();
    await theirPage.goto(stage.url('/settings/administrators'));
    await signIn(theirPage, 'bo', stage.password);
    await theirPage.getByText('(you)').waitFor();
    const cookie = (await theirs.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    const stream = await fetch(stage.url('/-/live?tables=auditLog'), { headers: { cookie } });
    expect(stream.status).toBe(200);

    await stage.link('Remove Bo Day').click();
    await look(page, 'console-administrator-remove');
    await press(page, 'Remove Bo Day');
    await stage.said('This person no longer manages the tenant.');
    await stream.text(); // The stream has ended.
    expect((await theirPage.reload())?.status()).toBe(404);
    await theirs.close();

    const [ada] = await stage.rows('users', { username: 'ada' });
    for (const key of ['Console.Administrator.Add', 'Console.Administrator.Remove']) {
      expect(await stage.rows('auditLog', { key, userId: id })).toMatchObject([
        { actorId: ada?.id, applicationId: 'admin-console', payload: { tenantIds: ['default'], by: 'console' } },
      ]);
    }
  });

  it('never lose the last one', async () => {
    const { page } = stage;
    await stage.open('/settings/administrators');
    await stage.link('Remove ada').click();
    await press(page, 'Remove ada');
    await page.getByText('Nobody else who can sign in manages this tenant').waitFor();
    expect(await stage.rows('administrators')).toHaveLength(1);
  });

  it('never lose the last one by the account either, while another who can sign in is enough', async () => {
    const { service } = stage;
    const userId = String((await stage.rows('users', { username: 'ada' }))[0]?.id);
    const suspend = (isSuspended: boolean) => service.api.call(`PATCH /users/${userId}/is-suspended`, { isSuspended });
    const remove = () => service.api.call(`DELETE /users/${userId}`);
    for (const refused of [await suspend(true), await remove()])
      expect(refused).toMatchObject({ status: 422, body: { code: 'administrator.is_last' } });

    const store = new TenantStore(stage.database, 'default');
    const bo = String((await stage.rows('users', { username: 'bo' }))[0]?.id);
    const means = { by: 'command', now: Date.now() } as const;
    await manage(store, bo, ['default'], means);
    await store.update('users', { id: bo }, { isSuspended: true });
    expect(await suspend(true)).toMatchObject({ status: 422, body: { code: 'administrator.is_last' } });
    await store.update('users', { id: bo }, { isSuspended: false });
    expect((await suspend(true)).status).toBe(200);
    expect((await suspend(false)).status).toBe(200);
    await unmanage(store, bo, 'default', means);
  });

  it('never lose both of two who remove each other', async () => {
    const store = new TenantStore(stage.database, 'default');
    const ada = String((await stage.rows('users', { username: 'ada' }))[0]?.id);
    const bo = String((await stage.rows('users', { username: 'bo' }))[0]?.id);
    const means = { by: 'command', now: Date.now() } as const;
    await manage(store, bo, ['default'], means);
    const ends = await Promise.allSettled([ada, bo].map((id) => unmanage(store, id, 'default', means)));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await stage.rows('administrators')).toHaveLength(1);
  });
});
