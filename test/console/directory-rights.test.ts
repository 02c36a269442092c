import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const EVENTS = [
  'Role.Created',
  'Role.Scopes.Updated',
  'Role.Deleted',
  'Scope.Created',
  'Scope.Data.Updated',
  'Scope.Deleted',
  'Organization.Created',
  'Organization.Data.Updated',
  'Organization.Membership.Updated',
  'OrganizationRole.Created',
  'OrganizationScope.Created',
];

describe.each(databases)('the directory of roles, resources, and organizations on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    await stage.listenTo(...EVENTS);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('adds scopes and users to a role, and removes them with an undo', async () => {
    const { page, service } = stage;
    await stage.open('/directory/resources/new');
    await stage.fill('Name', 'Billing');
    await stage.fill('Indicator', 'https://billing.example/api');
    await press(page, 'Create resource');
    const resourceId = stage.idHere();
    await stage.link('New scope').click();
    await stage.fill('Name', 'read bills');
    await press(page, 'Create scope');
    await page.getByText(new ServiceError('scope.name_with_space').message).waitFor();
    await stage.fill('Name', 'read:bills');
    await press(page, 'Create scope');
    expect(await stage.nextEvent('Scope.Created')).toMatchObject({ data: { name: 'read:bills', resourceId } });
    await look(page, 'console-resource');
    await stage.link('read:bills').click();
    await stage.fill(/^Description/, 'See bills');
    await press(page, 'Save changes');
    expect(await stage.nextEvent('Scope.Data.Updated')).toMatchObject({ data: { description: 'See bills' } });

    await stage.open('/directory/roles/new');
    await stage.fill('Name', 'Clerk');
    await stage.fill('Description', 'Works on bills');
    await press(page, 'Create role');
    const id = stage.idHere();
    expect(await stage.nextEvent('Role.Created')).toMatchObject({ data: { id, name: 'Clerk' } });
    await stage.link('Add scopes').click();
    await press(page, 'Add scopes');
    await page.getByText('Choose at least one.').waitFor();
    await page.getByLabel(/read:bills/).check();
    await look(page, 'console-role-add-scopes');
    await press(page, 'Add scopes');
    await stage.waitForStatus('1 scope added.');
    await stage.nextEvent('Role.Scopes.Updated');
    expect(await stage.rows('roleScopes', { roleId: id })).toHaveLength(1);

    const { id: userId } = await service.api.must('POST /users', { username: 'carol', name: 'Carol' });
    await stage.link('Add users').click();
    await page.getByPlaceholder('Search users').fill('carol');
    await press(page, 'Search');
    await page.getByLabel(/Carol/).check();
    await press(page, 'Add users');
    expect(await stage.rows('userRoles', { roleId: id })).toMatchObject([{ userId }]);
    await look(page, 'console-role');

    await press(page, 'Remove Carol');
    await stage.waitForStatus('Removed.');
    expect(await stage.rows('userRoles', { roleId: id })).toEqual([]);
    await press(page, 'Undo');
    await stage.waitForStatus('1 user added.');
    expect(await stage.rows('userRoles', { roleId: id })).toMatchObject([{ userId }]);

    await stage.link('Delete').click();
    await press(page, 'Delete role');
    await stage.nextEvent('Role.Deleted');
    await stage.open(`/directory/resources/${resourceId}`);
    await press(page, 'Set as default');
    await stage.waitForStatus(/client credentials/);
    await press(page, 'Undo');
    await stage.link('Delete').click();
    await press(page, 'Delete resource');
    await stage.nextEvent('Scope.Deleted');
  });

  it('creates an organization with members and their roles', async () => {
    const { page, service } = stage;
    await stage.open('/directory/organization-scopes/new');
    await stage.fill('Name', 'invite:member');
    await press(page, 'Create organization scope');
    await stage.nextEvent('OrganizationScope.Created');
    await stage.open('/directory/organization-roles/new');
    await stage.fill('Name', 'Owner');
    await press(page, 'Create organization role');
    await stage.nextEvent('OrganizationRole.Created');
    await page.getByRole('link', { name: 'Add scopes', exact: true }).click();
    await page.getByLabel(/invite:member/).check();
    await press(page, 'Add scopes');
    await look(page, 'console-organization-role');

    await stage.open('/directory/organizations');
    await look(page, 'console-organizations-empty');
    await page.getByRole('link', { name: 'New organization' }).first().click();
    await stage.fill('Name', 'Acme');
    await press(page, 'Create organization');
    const id = stage.idHere();
    expect(await stage.nextEvent('Organization.Created')).toMatchObject({ data: { id, name: 'Acme' } });
    const { id: userId } = await service.api.must('POST /users', { username: 'dora', name: 'Dora' });
    await stage.link('Add users').click();
    await page.getByLabel(/Dora/).check();
    await press(page, 'Add users');
    await stage.nextEvent('Organization.Membership.Updated');
    await stage.link('Edit roles of Dora').click();
    await page.getByLabel(/Owner/).check();
    await press(page, 'Save roles');
    await stage.waitForStatus('Roles saved.');
    expect(await stage.rows('organizationUserRoles', { organizationId: id })).toMatchObject([{ userId }]);
    await look(page, 'console-organization');
    await stage.link('Edit').click();
    await stage.fill(/^Description/, 'A customer');
    await press(page, 'Save changes');
    expect(await stage.nextEvent('Organization.Data.Updated')).toMatchObject({ data: { description: 'A customer' } });
  });
});
