import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/console/places/index.ts';
import { press } from '../sign-in/stage.ts';
import { look as lookAt } from '../support/browser.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('finding things in the console on %s', (kind) => {
  let stage: ConsoleStage;
  let cast: Cast;
  let graceId: string;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    cast = castOf(stage.service);
    const { id } = await stage.service.api.must('POST /users', { username: 'grace', name: 'Grace Brewster Hopper' });
    graceId = id;
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const look: typeof lookAt = async (page, name) => {
    if (kind === 'sqlite') await lookAt(page, name);
  };
  const option = (name: string | RegExp) => stage.page.getByRole('option', { name });

  it('opens the palette with the keyboard and goes to users, pages, actions and ids', async () => {
    const { page } = stage;
    await stage.open('/overview');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('option', { name: /Create user/ }).waitFor();
    await page.keyboard.type('hopper');
    await option(/Grace Brewster Hopper.*User/).waitFor();
    await look(page, 'console-palette');
    await page.keyboard.press('Enter');
    await page.waitForURL(stage.url(`/directory/users/${graceId}`));

    // `/` opens it on pages without a search field. Enter does not wait for the options.
    await page.keyboard.press('/');
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.type('audit log');
    await page.keyboard.press('Enter');
    await page.waitForURL(stage.url('/settings/audit'));

    await page.getByRole('button', { name: /^Find/ }).click();
    await option(/^Act as a user/).waitFor();
    await page.keyboard.type('create');
    await option(/^Act as a user/).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp'); // From the first option to the last.
    const chosen = await palette.getByRole('option', { selected: true }).textContent();
    expect(chosen).toContain('Create webhook');
    expect(await palette.getByRole('combobox').getAttribute('aria-activedescendant')).toMatch(/^palette-list-\d+$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(stage.url('/webhooks/new'));

    const [entry] = await stage.rows('auditLog', { key: 'Management.POST /users' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type(String(entry?.id));
    await option(/Audit log entry/).click();
    await page.waitForURL(stage.url(`/settings/audit/${entry?.id}`));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('no such thing');
    await palette.getByText('No results.').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
  });

  it('offers only pages that exist', async () => {
    await stage.open('/overview');
    const find = (query: string): Promise<{ href: string }[]> =>
      stage.page.evaluate(`fetch(${JSON.stringify(stage.url(`/-/find${query}`))}).then((answer) => answer.json())`);
    const items = await find('?q=');
    expect(items.length).toBeGreaterThan(20);
    const paths = new Set(routes.filter(({ isPage }) => isPage).map(({ path }) => path));
    const base = new URL(stage.url('')).pathname;
    for (const { href } of items) expect(paths).toContain(href.slice(base.length));
    const user = { id: graceId, name: 'Grace Brewster Hopper', about: 'grace', kind: 'User' };
    expect(await find('?q=gra&type=user')).toEqual([{ ...user, href: `${base}/directory/users/${graceId}` }]);
  });

  it('shows text as text', async () => {
    const { page } = stage;
    await stage.service.api.must('POST /users', { name: '<img src=x onerror=alert(1)>', username: 'markup' });
    await stage.open('/overview');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('markup');
    await option(/<img src=x/).waitFor();
    expect(await page.locator('#palette-list img').count()).toBe(0);
  });

  it('filters the audit log by sentences, routes, people and text, which the URL keeps', async () => {
    const { page, service } = stage;
    await service.api.must(`PATCH /users/${graceId}`, { name: 'Grace Hopper' });
    await stage.open('/settings/audit');
    for (const action of ['created USER', 'POST /users', 'Created user Grace Hopper']) {
      await stage.fill('Action', action);
      await press(page, 'Filter');
      await stage.link('Created user Grace Hopper').waitFor();
      expect(await stage.link(/^Updated user/).count()).toBe(0);
    }
    await stage.link('Clear').click();
    await stage.fill('User', 'hopp');
    await option(/^Grace Hopper grace/).waitFor();
    await look(page, 'console-picker');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(/userId=/);
    expect(new URL(page.url()).searchParams.get('userId')).toBe(graceId);
    expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('Grace Hopper');
    await stage.link('Updated user Grace Hopper').click();
    await page.getByText('PATCH /users/:userId', { exact: true }).waitFor();
    await page.locator('.back a').click();
    await page.waitForURL(/userId=/);
    await stage.open(`/settings/audit?userId=${graceId}&q=zzz&range=1h&result=Success`);
    await page.getByText('No entries match these filters.').waitFor();
    await stage.open(`/settings/audit?q=${graceId.toUpperCase()}&order=oldest&range=24h`);
    await stage.link('Created user Grace Hopper').waitFor();
    expect(await page.getByRole('rowheader').allTextContents()).toEqual([
      'Created user Grace Hopper',
      'Updated user Grace Hopper',
    ]);
    await page.getByText('Only the newest 10,000 entries').waitFor();
  });

  it('leads back to the search, and pages the users to act as', async () => {
    const { page } = stage;
    await stage.open('/directory/users?q=hopper');
    await stage.link('Grace Hopper').click();
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await page.locator('.back a').click();
    await page.waitForURL(stage.url('/directory/users?q=hopper'));
    for (let number = 0; number < 20; number += 1)
      await stage.service.api.must('POST /users', { username: `many${number}` });
    await stage.open('/impersonations/new');
    await page.getByText(/^1–20 of \d\d$/).waitFor();
    await stage.link('Next').click();
    await page.getByText(/^21–\d\d of \d\d$/).waitFor();
  });

  it('offers only applications that may exchange tokens, and a picker for the actor', async () => {
    const { page, service } = stage;
    await service.api.must('POST /applications', { name: 'Customer portal', type: 'SPA' });
    await stage.open(`/impersonations/new?userId=${graceId}`);
    const offered = page.getByLabel('Limit to application').getByRole('option');
    expect(await offered.allTextContents()).not.toContain('Customer portal');
    expect(await offered.count()).toBe(2);
    const [alice] = await stage.rows('users', { id: cast.alice.id });
    await stage.fill('Reason', 'Order is missing');
    await page.getByLabel(/^Limit to actor/).pressSequentially(String(alice?.username));
    await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await press(page, 'Create subject token');
    await page.getByText('Copy it now').waitFor();
    expect(await stage.rows('subjectTokens', { userId: graceId })).toMatchObject([{ actorId: cast.alice.id }]);
  });

  it('does not offer to remove the last administrator', async () => {
    await stage.open('/settings/administrators');
    await stage.link('ada').first().waitFor();
    expect(await stage.link(/^Remove/).count()).toBe(0);
  });

  it('shows and reads times in the time zone of the browser', async () => {
    const config = { url: stage.receiver.url };
    const hook = await stage.service.api.must('POST /hooks', { name: 'Zones', events: ['Role.Created'], config });
    const context = await stage.browser.newContext({
      timezoneId: 'America/New_York',
      locale: 'en-US',
      storageState: await stage.context.storageState(),
    });
    const page = await context.newPage();
    await page.goto(stage.url(`/webhooks/${hook.id}/replay`));
    const from = page.getByLabel(/^From \(E[SD]T\)$/);
    await from.fill('2026-01-05T10:00');
    await press(page, 'Count events');
    await page.waitForURL(/since=/);
    expect(new URL(page.url()).searchParams.get('since')).toBe('2026-01-05T15:00');
    expect(await from.inputValue()).toBe('2026-01-05T10:00');
    await context.close();
  });

  it('works without JavaScript: a picker is a field for an id', async () => {
    const context = await stage.browser.newContext({
      javaScriptEnabled: false,
      storageState: await stage.context.storageState(),
    });
    const page = await context.newPage();
    await page.goto(stage.url('/settings/audit'));
    expect(await page.getByRole('button', { name: /^Find/ }).count()).toBe(0);
    await page.getByLabel('User', { exact: true }).fill(graceId);
    await press(page, 'Filter');
    expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe(graceId);
    await page.locator('.picker-chosen').getByText('Grace Hopper').waitFor();
    await context.close();
  });
});
