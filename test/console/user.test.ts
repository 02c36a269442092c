import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)("a user's page on %s", (kind) => {
  let stage: ConsoleStage;
  let cast: Cast;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    cast = castOf(stage.service);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const section = (title: string) =>
    stage.page.locator('section.section', { has: stage.page.getByRole('heading', { name: title, exact: true }) });
  const rows = (title: string) => section(title).locator('tbody tr');
  const open = ({ id }: { id: string }) => stage.open(`/directory/users/${id}`);
  const isAlive = async (token: string) =>
    (await fetch(`${stage.service.url}/oidc/me`, { headers: { authorization: `Bearer ${token}` } })).ok;

  it('says so where there is nothing', async () => {
    const { id } = await stage.service.api.must('POST /users', { username: 'newcomer' });
    await open({ id });
    await section('Sessions').getByText('The user is not signed in anywhere.').waitFor();
    await section('Effective scopes').getByText('No scopes.').waitFor();
    await section('Impersonations by this user').getByText('This user has not acted as anyone.').waitFor();
    await look(stage.page, 'console-user-new');
  });

  it('shows data, access and linked identities', async () => {
    const { page, service } = stage;
    const { bob, scope } = cast;
    const { api } = service;
    await api.must(`PATCH /users/${bob.id}/profile`, { profile: { givenName: 'Casey </pre><script>' } });
    await api.must(`PATCH /users/${bob.id}/custom-data`, { customData: { plan: 'gold' } });
    await api.must(`POST /users/${bob.id}/identities/google`, { userId: 'g-1', details: { email: 'c@gmail.example' } });
    const organization = await api.must('POST /organizations', { name: 'Acme Inc.' });
    const role = await api.must('POST /organization-roles', { name: 'Buyer' });
    const [resource] = (await api.must('GET /resources?includeScopes=true')).filter(
      ({ indicator }: { indicator: string }) => indicator === cast.resource,
    );
    await api.must(`POST /organization-roles/${role.id}/resource-scopes`, { scopeIds: [resource.scopes[0].id] });
    await api.must(`POST /organizations/${organization.id}/users`, { userIds: [bob.id] });
    await api.must(`PUT /organizations/${organization.id}/users/${bob.id}/roles`, { organizationRoleIds: [role.id] });

    await open(bob);
    await section('Profile').getByText('Casey </pre><script>').waitFor();
    await section('Custom data').getByText('"plan": "gold"').waitFor();
    expect(await rows('Organizations').allInnerTexts()).toEqual([expect.stringMatching(/Acme Inc\.\s+Buyer/)]);
    const [held, ...others] = await rows('Effective scopes').allInnerTexts();
    expect([held, others]).toEqual([expect.stringContaining(scope), []]);
    expect(held).toMatch(/Demonstration: customer\s+Buyer/);
    const [identity] = await rows('Linked identities').allInnerTexts();
    expect(identity).toMatch(/google\s+c@gmail\.example\s+g-1\s+Social sign-in/);
    await look(page, 'console-user-access');
    await stage.link('Unlink google').click();
    await press(page, 'Unlink identity');
    await stage.waitForStatus('Identity unlinked.');
    await section('Linked identities').getByText('No linked identities.').waitFor();
  });

  it('ends a session and a grant, whose tokens then stop working', async () => {
    const { page } = stage;
    const first = await cast.spa.signIn(cast.alice);
    await open(cast.alice);
    expect(await rows('Sessions').count()).toBe(1);
    await rows('Sessions').getByText('Password').waitFor();
    await rows('Sessions').getByRole('link', { name: 'Demonstration: support console' }).waitFor();
    await rows('Sessions')
      .getByRole('link', { name: /^End session/ })
      .click();
    await look(page, 'console-user-end-session');
    expect(await isAlive(first)).toBe(true);
    await press(page, 'End session');
    await stage.waitForStatus('Session ended.');
    expect(await isAlive(first)).toBe(false);
    expect(await rows('Sessions').count()).toBe(0);

    const second = await cast.spa.signIn(cast.alice);
    await page.reload();
    await rows('Grants').getByRole('link', { name: 'End grant of Demonstration: support console' }).click();
    await press(page, 'End grant');
    await stage.waitForStatus('Grant ended.');
    expect(await isAlive(second)).toBe(false);
    expect([await rows('Sessions').count(), await rows('Grants').count()]).toEqual([1, 0]);
    const response = await stage.open(`/directory/users/${cast.bob.id}/sessions/nothing/end`);
    expect(response?.status()).toBe(404);
  });

  it('shows the first sessions, and the others on a page of their own', async () => {
    const { page } = stage;
    for (let count = 0; count < 5; count += 1) await cast.spa.signIn(cast.alice);
    await open(cast.alice);
    expect(await rows('Sessions').count()).toBe(5);
    await section('Sessions').getByRole('link', { name: 'Show all 6' }).click();
    expect(await page.locator('tbody tr').count()).toBe(6);
    await look(page, 'console-user-sessions');
    await page.locator('.back a').click();
    await section('Grants').waitFor();
  });

  it('shows whom the user acted as, who acted as the user, and what happened to them', async () => {
    const { page } = stage;
    const { alice, bob, spa, mint } = cast;
    const subject_token = await mint({ context: { reason: 'Order is missing', ticketId: 'T-7' } });
    await spa.exchange({ subject_token, actor_token: await spa.signIn(alice) });
    await open(alice);
    expect(await rows('Impersonations by this user').allInnerTexts()).toEqual([
      expect.stringMatching(/Casey Customer\s+Active\s+Order is missing · T-7/),
    ]);
    await open(bob);
    expect(await rows('Impersonations of this user').allInnerTexts()).toEqual([
      expect.stringMatching(/Sam Support\s+Active\s+Order is missing · T-7/),
    ]);
    expect(await rows('Activity').count()).toBe(5);
    await rows('Activity').getByRole('link', { name: 'Started impersonation of user Casey Customer' }).waitFor();
    await look(page, 'console-user-history');
    await section('Activity').getByRole('link', { name: 'Show all' }).click();
    await page.waitForURL(stage.url(`/settings/audit?userId=${bob.id}`));
    await open(bob);
    await rows('Impersonations of this user').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Sam Support acting as Casey Customer' }).waitFor();
  });
});
