import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAdministrator, removeAdministrator } from '../../src/admin/administrators.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { ServiceError } from '../../src/errors.ts';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('administrators on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('can be added by name, and lose access immediately when removed', async () => {
    const { page, service } = stage;
    const { id } = await service.api.must('POST /users', { username: 'bo', name: 'Bo Day', password: stage.password });
    await stage.open('/settings/administrators');
    await stage.link('Add administrator').click();
    await stage.fill('User', 'nobody');
    await press(page, 'Add administrator');
    await page.getByText('No user of the default tenant has this username, email address, or ID.').waitFor();
    await look(page, 'console-administrator-add');
    await stage.fill('User', 'bo');
    await press(page, 'Add administrator');
    await stage.waitForStatus('bo now manages this tenant.');
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
    await press(page, 'Remove administrator');
    await stage.waitForStatus('Administrator removed.');
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

  it('cannot be removed if they are the last one', async () => {
    const { page } = stage;
    const [ada] = await stage.rows('users', { username: 'ada' });
    await stage.open(`/settings/administrators/${ada?.id}/remove`); // The list does not offer it.
    await press(page, 'Remove administrator');
    await page.getByText(new ServiceError('administrator.is_last').message).waitFor();
    expect(await stage.rows('administrators')).toHaveLength(1);
  });

  it('cannot be suspended or deleted unless another one can sign in', async () => {
    const { service } = stage;
    const userId = String((await stage.rows('users', { username: 'ada' }))[0]?.id);
    const suspend = (isSuspended: boolean) => service.api.call(`PATCH /users/${userId}/is-suspended`, { isSuspended });
    const remove = () => service.api.call(`DELETE /users/${userId}`);
    for (const refused of [await suspend(true), await remove()])
      expect(refused).toMatchObject({ status: 422, body: { code: 'administrator.is_last' } });

    const store = new TenantStore(stage.database, 'default');
    const bo = String((await stage.rows('users', { username: 'bo' }))[0]?.id);
    const change = { by: 'command', now: Date.now() } as const;
    await addAdministrator(store, bo, ['default'], change);
    await store.update('users', { id: bo }, { isSuspended: true });
    expect(await suspend(true)).toMatchObject({ status: 422, body: { code: 'administrator.is_last' } });
    await store.update('users', { id: bo }, { isSuspended: false });
    expect((await suspend(true)).status).toBe(200);
    expect((await suspend(false)).status).toBe(200);
    await removeAdministrator(store, bo, 'default', change);
  });

  it('cannot both be removed when two remove each other', async () => {
    const store = new TenantStore(stage.database, 'default');
    const ada = String((await stage.rows('users', { username: 'ada' }))[0]?.id);
    const bo = String((await stage.rows('users', { username: 'bo' }))[0]?.id);
    const change = { by: 'command', now: Date.now() } as const;
    await addAdministrator(store, bo, ['default'], change);
    const ends = await Promise.allSettled([ada, bo].map((id) => removeAdministrator(store, id, 'default', change)));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await stage.rows('administrators')).toHaveLength(1);
  });
});
