import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveRole, removeAdministrator } from '../../src/admin/administrators.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { ServiceError } from '../../src/errors.ts';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const OWNER = { tenantIds: ['default'], role: 'owner' } as const;

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
    await page.getByLabel('Role').selectOption('owner');
    await press(page, 'Add administrator');
    await stage.waitForStatus('bo now manages this tenant as owner.');
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

  it('can act as users but edit nothing with the role support, and edit with the role editor', async () => {
    const { page, service } = stage;
    await stage.open('/settings/administrators/add');
    await stage.fill('User', 'bo');
    await page.getByLabel('Role').selectOption('support');
    await press(page, 'Add administrator');
    const { id } = await service.api.must('POST /users', { username: 'carl', name: 'Carl' });
    // A script of an editor does not run when an administrator signs in, so it cannot lock out the owners.
    await service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = () => { throw new Error("no token"); };',
    });

    const theirs = await stage.browser.newContext();
    const theirPage = await theirs.newPage();
    await theirPage.goto(stage.url('/directory/users'));
    await signIn(theirPage, 'bo', stage.password);
    await theirPage.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    const offered = (name: string) => theirPage.getByRole('main').getByRole('link', { name, exact: true });
    expect(await offered('New user').count()).toBe(0);
    expect(await theirPage.getByRole('link', { name: 'Tenants' }).count()).toBe(0);
    await theirPage.goto(stage.url(`/directory/users/${id}`));
    for (const name of ['Edit', 'Delete', 'Set password', 'Add roles']) expect(await offered(name).count()).toBe(0);
    expect(await theirPage.getByRole('button', { name: 'Suspend user' }).count()).toBe(0);
    await look(theirPage, 'console-user-as-support');
    await offered('Act as this user').click();
    await theirPage.getByLabel('Reason').fill('Order is missing');
    await press(theirPage, 'Create subject token');
    await theirPage.getByText('This is the subject token.').waitFor();

    await theirPage.goto(stage.url('/impersonations/policy'));
    await theirPage.getByText('Submitting it requires the role owner.').waitFor();
    expect(await theirPage.getByLabel('Subject token lifetime').isDisabled()).toBe(true);
    expect(await theirPage.getByRole('button', { name: 'Save policy' }).count()).toBe(0);
    await look(theirPage, 'console-policy-as-support');
    await theirPage.goto(stage.url('/claims/access-token'));
    await theirPage.getByText('Testing and editing the script requires the role editor.').waitFor();
    const refused = await theirPage.goto(stage.url('/directory/users/new'));
    expect(refused?.status()).toBe(403);
    await theirPage.getByText('This requires the role editor, and yours is support.').waitFor();
    await look(theirPage, 'console-not-allowed');

    await stage.open('/settings/administrators');
    await stage.link('Change role Bo Day').click();
    await page.getByLabel('Role').selectOption('editor');
    await look(page, 'console-administrator-role');
    await press(page, 'Change role');
    await stage.waitForStatus('Role changed.');
    expect((await theirPage.reload())?.status()).toBe(200);
    await theirs.close();
    await stage.link('Remove Bo Day').click();
    await press(page, 'Remove administrator');
  });

  it('cannot be removed or demoted if they are the last owner', async () => {
    const { page } = stage;
    await stage.open('/settings/administrators');
    await page.getByText('(you)').waitFor();
    for (const name of ['Remove ada', 'Change role ada']) expect(await stage.link(name).count()).toBe(0);
    const userId = String((await stage.rows('users', { username: 'ada' }))[0]?.id);
    await stage.open(`/settings/administrators/${userId}/remove`);
    await press(page, 'Remove administrator');
    await page.getByText(new ServiceError('administrator.is_last').message).waitFor();
    await stage.open(`/settings/administrators/${userId}/role`);
    await page.getByLabel('Role').selectOption('viewer');
    await press(page, 'Change role');
    await page.getByText(new ServiceError('administrator.is_last').message).waitFor();
    expect(await stage.rows('administrators')).toMatchObject([{ role: 'owner' }]);
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
    await giveRole(store, bo, OWNER, change);
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
    await giveRole(store, bo, OWNER, change);
    const ends = await Promise.allSettled([ada, bo].map((id) => removeAdministrator(store, id, 'default', change)));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await stage.rows('administrators')).toHaveLength(1);
  });
});
