import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const EVENTS = ['User.Created', 'User.Data.Updated', 'User.SuspensionStatus.Updated', 'User.Deleted'];

describe.each(databases)('the directory of users and applications on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    await stage.listenTo(...EVENTS);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('creates, finds, edits, suspends, and deletes a user', async () => {
    const { page } = stage;
    await stage.open('/directory/users');
    await look(page, 'console-users');
    await stage.link('New user').click();
    await stage.fill(/^Username/, '1 bad name');
    await stage.fill(/^Custom data/, '{ not json');
    await press(page, 'Create user');
    await page.getByText('Enter a JSON object').waitFor();
    await page.getByText('Enter letters, digits, and underscores only.').waitFor();
    await stage.fill(/^Custom data/, '{ "plan": "gold" }');
    expect(await page.getByLabel(/^Username/).inputValue()).toBe('1 bad name');
    await look(page, 'console-user-fault');
    await stage.fill(/^Username/, 'bob');
    await stage.fill(/^Name/, 'Bob Baumeister-von-und-zu-Hohenlohe <script>');
    await press(page, 'Create user');
    await stage.waitForStatus('User created.');
    const id = stage.idHere();
    expect(await stage.nextEvent('User.Created')).toMatchObject({
      data: { id, username: 'bob', customData: { plan: 'gold' } },
    });
    await look(page, 'console-user');

    const [ada] = await stage.rows('users', { username: 'ada' });
    const [entry] = await stage.rows('auditLog', { key: 'Management.POST /users', userId: id });
    expect(entry).toMatchObject({ actorId: ada?.id, applicationId: 'admin-console', result: 'Success' });
    expect(entry?.payload).toMatchObject({ administratorId: ada?.id });

    await stage.open('/directory/users?q=baumeister');
    await stage.link(/Bob Baumeister/).click();
    await stage.link('Edit').click();
    await stage.fill(/^Email address/, 'bob@example.com');
    await stage.fill(/^Name/, '');
    await press(page, 'Save changes');
    await stage.waitForStatus('Changes saved.');
    expect(await stage.rows('users', { id })).toMatchObject([{ primaryEmail: 'bob@example.com', name: null }]);
    expect(await stage.nextEvent('User.Data.Updated')).toMatchObject({ data: { id, primaryEmail: 'bob@example.com' } });

    await press(page, 'Suspend user');
    await stage.waitForStatus(/User suspended/);
    expect(await stage.nextEvent('User.SuspensionStatus.Updated')).toMatchObject({ data: { isSuspended: true } });
    await look(page, 'console-user-suspended');
    await press(page, 'Undo');
    expect(await stage.nextEvent('User.SuspensionStatus.Updated')).toMatchObject({ data: { isSuspended: false } });

    await stage.link('Set password').click();
    await stage.fill('New password', stage.password);
    await press(page, 'Set password');
    await stage.waitForStatus('Password set.');
    const verify = await stage.service.api.call(`POST /users/${id}/password/verify`, { password: stage.password });
    expect(verify.status).toBe(204);

    await stage.service.api.must(`POST /users/${id}/mfa-verifications`, { type: 'Totp' });
    await page.reload();
    await stage.link('Remove Authenticator app').click();
    await press(page, 'Remove factor');
    await stage.waitForStatus('Second factor removed.');
    expect(await stage.rows('userFactors')).toEqual([]);

    await stage.link('Delete').click();
    await page.getByRole('heading', { name: 'Delete user bob' }).waitFor();
    await look(page, 'console-user-delete');
    await press(page, 'Delete user');
    await stage.waitForStatus('User “bob” deleted.');
    await stage.nextEvent('User.Deleted');
    expect(await stage.rows('users', { id })).toEqual([]);
  });

  it('creates an application and shows its client secret once', async () => {
    const { page, service } = stage;
    await stage.open('/directory/applications/new');
    await stage.fill('Name', 'Nightly');
    await page.getByLabel('Type').selectOption('MachineToMachine');
    await press(page, 'Create application');
    await page.getByText('Copy them now').waitFor();
    const id = stage.idHere();
    const [secret] = (await service.api.must(`GET /applications/${id}/secrets`)) as unknown as { value: string }[];
    await page.getByText(secret?.value as string).waitFor();
    await look(page, 'console-application-secret');
    await page.reload();
    expect(await page.content()).not.toContain(secret?.value);

    await stage.link('New client secret').click();
    await stage.fill('Name', 'Default secret');
    await press(page, 'Create client secret');
    await page.getByText(new ServiceError('application.secret_name_exists').message).waitFor();
    await stage.fill('Name', 'second/odd & name');
    await press(page, 'Create client secret');
    await page.getByText('Copy it now').waitFor();
    await stage.link('Delete second/odd & name').click();
    await press(page, 'Delete client secret');
    await stage.waitForStatus('Client secret “second/odd & name” deleted.');
    expect(await stage.rows('applicationSecrets', { applicationId: id })).toHaveLength(1);

    await stage.link('Add roles').click();
    await page.getByLabel(/Management API access/).check();
    await press(page, 'Add roles');
    expect(await stage.rows('applicationRoles', { applicationId: id })).toHaveLength(1);
    await stage.link('Edit').click();
    await stage.fill('Name', 'Hourly');
    await press(page, 'Save changes');
    await look(page, 'console-application');
    await stage.open('/directory/applications');
    await look(page, 'console-applications');
  });

  it('pages through a long list', async () => {
    const { page, service } = stage;
    for (let index = 0; index < 25; index += 1)
      await service.api.must('POST /users', { username: `many${index}`, name: `Many ${index}` });
    await stage.open('/directory/users?q=many');
    await page.getByText('1–20 of 25').waitFor();
    await look(page, 'console-users-many');
    await stage.link('Next').click();
    await page.getByText('21–25 of 25').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('many');
  });
});
