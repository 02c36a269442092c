import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe.each(databases)('roles, resources and organizations in the directory on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    await stage.listenTo(...EVENTS);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('gives a role scopes and people, and takes them away with an undo', async () => {
    const { page, service } = stage;
    await stage.open('/directory/resources/new');
    await stage.fill('Name', 'Billing');
    await stage.fill('Indicator', 'https://billing.example/api');
    await press(page, 'Create resource');
    const resourceId = stage.idHere();
    await stage.link('New scope').click();
    await stage.fill('Name', 'read bills');
    await press(page, 'Create scope');
    await page.getByText('A scope name cannot contain white space.').waitFor();
    await stage.fill('Name', 'read:bills');
    await press(page, 'Create scope');
    expect(await stage.heard('Scope.Created')).toMatchObject({ data: { name: 'read:bills', resourceId } });
    await look(page, 'console-resource');
    await stage.link('read:bills').click();
    await stage.fill(/^Description/, 'See bills');
    await press(page, 'Save');
    expect(await stage.heard('Scope.Data.Updated')).toMatchObject({ data: { description: 'See bills' } });

    await stage.open('/directory/roles/new');
    await stage.fill('Name', 'Clerk');
    await stage.fill('Description', 'Works on bills');
    await press(page, 'Create role');
    const id = stage.idHere();
    expect(await stage.heard('Role.Created')).toMatchObject({ data: { id, name: 'Clerk' } });
    await stage.link('Add scopes').click();
    await press(page, 'Add');
    await page.getByText('Choose at least one.').waitFor();
    await page.getByLabel(/read:bills/).check();
    await look(page, 'console-role-add-scopes');
    await press(page, 'Add');
    await stage.said('One was added.');
    await stage.heard('Role.Scopes.Updated');
    expect(await stage.rows('roleScopes', { roleId: id })).toHaveLength(1);

    const { id: userId } = await service.api.must('POST /users', { username: 'carol', name: 'Carol' });
    await stage.link('Add users').click();
    await page.getByPlaceholder('Search users').fill('carol');
    await press(page, 'Search');
    await page.getByLabel(/Carol/).check();
    await press(page, 'Add');
    expect(await stage.rows('userRoles', { roleId: id })).toMatchObject([{ userId }]);
    await look(page, 'console-role');

    await press(page, 'Remove Carol');
    await stage.said('Removed.');
    expect(await stage.rows('userRoles', { roleId: id })).toEqual([]);
    await press(page, 'Undo');
    await stage.said('One was added.');
    expect(await stage.rows('userRoles', { roleId: id })).toMatchObject([{ userId }]);

    await stage.link('Delete').click();
    await press(page, 'Delete Clerk');
    await stage.heard('Role.Deleted');
    await stage.open(`/directory/resources/${resourceId}`);
    await press(page, 'Make default');
    await stage.said(/Client credentials/);
    await press(page, 'Undo');
    await stage.link('Delete').click();
    await press(page, 'Delete Billing');
    await stage.heard('Scope.Deleted');
  });

  it('makes an organization with members who have roles in it', async () => {
    const { page, service } = stage;
    await stage.open('/directory/organization-scopes/new');
    await stage.fill('Name', 'invite:member');
    await press(page, 'Create organization scope');
    await stage.heard('OrganizationScope.Created');
    await stage.open('/directory/organization-roles/new');
    await stage.fill('Name', 'Owner');
    await press(page, 'Create organization role');
    await stage.heard('OrganizationRole.Created');
    await page.getByRole('link', { name: 'Add scopes', exact: true }).click();
    await page.getByLabel(/invite:member/).check();
    await press(page, 'Add');
    await look(page, 'console-organization-role');

    await stage.open('/directory/organizations');
    await look(page, 'console-organizations-empty');
    await page.getByRole('link', { name: 'New organization' }).first().click();
    await stage.fill('Name', 'Acme');
    await press(page, 'Create organization');
    const id = stage.idHere();
    expect(await stage.heard('Organization.Created')).toMatchObject({ data: { id, name: 'Acme' } });
    const { id: userId } = await service.api.must('POST /users', { username: 'dora', name: 'Dora' });
    await stage.link('Add users').click();
    await page.getByLabel(/Dora/).check();
    await press(page, 'Add');
    await stage.heard('Organization.Membership.Updated');
    await stage.link('Roles of Dora').click();
    await page.getByLabel(/Owner/).check();
    await press(page, 'Save');
    await stage.said('Saved.');
    expect(await stage.rows('organizationUserRoles', { organizationId: id })).toMatchObject([{ userId }]);
    await look(page, 'console-organization');
    await stage.link('Change').click();
    await stage.fill(/^Description/, 'A customer');
    await press(page, 'Save');
    expect(await stage.heard('Organization.Data.Updated')).toMatchObject({ data: { description: 'A customer' } });
  });
});
