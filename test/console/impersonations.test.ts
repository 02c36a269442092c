import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look as lookAt } from '../support/browser.ts';
import { postForm } from '../support/call.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the impersonation pages on %s', (kind) => {
  let stage: ConsoleStage;
  let cast: Cast;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    cast = castOf(stage.service);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Takes screenshots with SQLite only: the pages look the same with PostgreSQL. */
  const look: typeof lookAt = async (page, name) => {
    if (kind === 'sqlite') await lookAt(page, name);
  };
  const open = (path: string) => stage.page.goto(stage.url(path));
  const link = (name: string | RegExp) => stage.page.getByRole('link', { name, exact: typeof name === 'string' });
  const fill = (label: string | RegExp, text: string) => stage.page.getByLabel(label).fill(text);
  const waitForText = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();

  /** Exchanges a subject token with alice as the actor, in the demo application. */
  const exchange = async (subjectToken: string): Promise<string> => {
    const actorToken = await cast.spa.signIn(cast.alice);
    const { status, body } = await cast.spa.exchange({ subject_token: subjectToken, actor_token: actorToken });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.access_token;
  };

  const isActive = async (token: string): Promise<boolean> => {
    const { clientId, clientSecret } = stage.service.credentials.machine;
    const basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    return (await postForm(`${stage.service.url}/oidc/token/introspection`, { token }, basic)).body.active;
  };

  it('edit the policy, which then protects users with a protected role', async () => {
    const { page, service } = stage;
    const { id: boss } = await service.api.must('POST /users', { username: 'boss' });
    const role = await service.api.must('POST /roles', { name: 'Board', description: 'The board', type: 'User' });
    await service.api.must(`POST /users/${boss}/roles`, { roleIds: [role.id] });
    await open('/impersonations');
    await waitForText('No one has been impersonated yet.');
    await look(page, 'console-impersonations-empty');
    await link('Set policy').click();
    await fill('Subject token lifetime', '5');
    await press(page, 'Save policy');
    await waitForText('Enter 60 or more.');
    await fill('Subject token lifetime', '120');
    await fill(/^Required context/, 'reason, ticketId, region');
    await page.getByRole('group', { name: 'Protected roles' }).getByText('Board').click();
    await press(page, 'Save policy');
    await waitForText('Saved.');
    await look(page, 'console-policy');
    expect(await service.api.must('GET /configs/impersonation')).toMatchObject({
      subjectTokenTtl: 120,
      maxTokenTtl: null,
      requiredContextKeys: ['reason', 'ticketId', 'region'],
      protectedRoleIds: [role.id],
      allowedActorRoleIds: [],
    });

    await open(`/directory/users/${boss}`);
    await link('Act as this user').click();
    await waitForText('which the policy protects');
    await look(page, 'console-act-as-protected');
  });

  it('require a reason, show the subject token once, and list and end the impersonation', async () => {
    const { page } = stage;
    await open('/impersonations');
    await link('Act as a user').click();
    await look(page, 'console-act-as');
    const [bob] = await stage.rows('users', { id: cast.bob.id });
    const name = String(bob?.name ?? bob?.username);
    await fill('Search users', String(bob?.username));
    await press(page, 'Search');
    await link(name).click();
    await press(page, 'Create subject token');
    await waitForText('Enter a reason.');
    await fill('Reason', 'The order page is empty');
    await press(page, 'Create subject token');
    expect(await page.getByText('Required by the impersonation policy.').count()).toBe(2);
    await look(page, 'console-act-as-fault');
    await fill('Ticket', 'TICKET-7');
    await fill('region', 'eu');
    await press(page, 'Create subject token');
    await waitForText('Copy it now');
    const subjectToken = (await page.getByText(/^sub_/).textContent()) ?? '';
    await look(page, 'console-subject-tokens');
    await page.reload();
    expect(await page.content()).not.toContain('sub_');
    const [ada] = await stage.rows('users', { username: 'ada' });
    const [row] = await stage.rows('subjectTokens');
    expect(row).toMatchObject({ userId: cast.bob.id, creatorId: ada?.id });

    const token = await exchange(subjectToken);
    expect(await isActive(token)).toBe(true);
    await open('/impersonations?active=true');
    await page.getByText('The order page is empty').waitFor();
    await page.getByText(/^(\d+:)?\d\d:\d\d$/).waitFor();
    await look(page, 'console-impersonations');
    await link(name).first().click();
    await page.getByText('TICKET-7').first().waitFor();
    await look(page, 'console-impersonation');
    await link('End impersonation').click();
    await look(page, 'console-impersonation-end');
    await press(page, 'End impersonation');
    await waitForText('Impersonation ended. Its access token is inactive.');
    expect(await isActive(token)).toBe(false);
    const [ended] = await stage.rows('impersonations');
    expect(ended).toMatchObject({ subjectId: cast.bob.id, actorId: cast.alice.id, revokedBy: 'admin-console' });
    const [entry] = await stage.rows('auditLog', { key: 'Management.POST /impersonations/:id/revoke' });
    expect(entry).toMatchObject({ userId: cast.bob.id });
  });

  it('end all impersonations of a user and revoke their unused subject tokens', async () => {
    const { page } = stage;
    const context = { reason: 'again', ticketId: 'T-8', region: 'eu' };
    const tokens = [await exchange(await cast.mint({ context })), await exchange(await cast.mint({ context }))];
    const unused = await cast.mint({ context });
    await open('/impersonations?active=true');
    await page.getByText('again').nth(1).waitFor();
    await page.getByRole('rowheader').getByRole('link').first().click();
    await link(/^End all for this user/).click();
    await waitForText('2 active impersonations will end.');
    await press(page, 'End all impersonations');
    await waitForText('Ended 2 impersonations and revoked 1 unused subject token.');
    expect(await Promise.all(tokens.map(isActive))).toEqual([false, false]);
    const actorToken = await cast.spa.signIn(cast.alice);
    const refused = await cast.spa.exchange({ subject_token: unused, actor_token: actorToken });
    expect(refused.body.error_description).toContain('revoked');
    await open('/impersonations?active=true');
    await waitForText('No impersonations match these filters.');
  });
});
