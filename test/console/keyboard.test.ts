import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

/** The accessible name of the focused element, roughly, and whether the browser shows the focus. */
const FOCUSED = `(() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
  return { name: (element.isContentEditable ? 'Editor: ' : '') + label.trim(), isShown: element.matches(':focus-visible') };
})()`;

/** Longer than any page has focusable elements. */
const MOST_TABS = 200;

/** Uses the console as a person does who has no pointer. */
class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  press(...keys: string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.#page.keyboard.press(key)), Promise.resolve());
  }

  /** Presses Tab until an element with this name has the focus. */
  async tabTo(name: RegExp): Promise<void> {
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      await this.press('Tab');
      const focused = await this.#page.evaluate<{ name: string; isShown: boolean }>(FOCUSED);
      if (!name.test(focused.name)) continue;
      expect(focused.isShown, `the focus on ${focused.name} is visible`).toBe(true);
      return;
    }
    throw new Error(`Tab does not reach ${name}.`);
  }

  async enter(label: RegExp, text: string): Promise<void> {
    await this.tabTo(label);
    await this.#page.keyboard.type(text);
  }

  /** Tabs to a link or button and presses Enter. Resolves when the next page is there. */
  async follow(name: RegExp): Promise<void> {
    await this.tabTo(name);
    await Promise.all([this.#page.waitForEvent('load'), this.press('Enter')]);
  }

  /** Goes to a place of the rail by its shortcut. */
  async go(letter: string): Promise<void> {
    await Promise.all([this.#page.waitForEvent('load'), this.press('g', letter)]);
  }
}

describe.each(databases)('the ten most common tasks with the keyboard only, on %s', (kind) => {
  let stage: ConsoleStage;
  let keys: Keyboard;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    keys = new Keyboard(stage.page);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const heading = (name: string | RegExp) => stage.page.getByRole('heading', { name }).first().waitFor();

  it('can all be done', async () => {
    const { page } = stage;

    // 1. Create a user.
    await keys.go('d');
    await keys.follow(/^New user$/);
    await keys.enter(/^Username/, 'grace');
    await keys.enter(/^Name/, 'Grace Hopper');
    await keys.follow(/^Create user$/);
    await stage.waitForStatus('User created.');

    // 2. Find a user.
    await keys.go('d');
    await keys.press('/');
    await page.keyboard.type('hopper');
    await Promise.all([page.waitForEvent('load'), keys.press('Enter')]);
    await keys.follow(/^Grace Hopper/);
    await heading('Grace Hopper');

    // 3. Edit the user.
    await keys.follow(/^Edit$/);
    await keys.enter(/^Email address/, 'grace@example.com');
    await keys.follow(/^Save changes$/);
    await stage.waitForStatus('Changes saved.');

    // 4. Suspend the user, and undo it.
    await keys.follow(/^Suspend user$/);
    await stage.waitForStatus(/User suspended/);
    await keys.follow(/^Undo$/);
    expect(await stage.rows('users', { username: 'grace' })).toMatchObject([{ primaryEmail: 'grace@example.com' }]);

    // 5. Create a role.
    await stage.open('/directory/users');
    await keys.follow(/^Roles$/);
    await keys.follow(/^New role$/);
    await keys.enter(/^Name/, 'Navy');
    await keys.enter(/^Description/, 'Officers');
    await keys.follow(/^Create role$/);
    await stage.waitForStatus(/created/);

    // 6. Create an application.
    await stage.open('/directory/applications');
    await keys.follow(/^New application$/);
    await keys.enter(/^Name/, 'Bridge');
    await keys.follow(/^Create application$/);
    await stage.waitForStatus(/created/);

    // 7. Create a webhook.
    await keys.go('w');
    await keys.follow(/^New webhook$/);
    await keys.enter(/^Name/, 'Crew');
    await keys.enter(/^URL|^Endpoint/, stage.receiver.url);
    await keys.tabTo(/^User\.Created/);
    await keys.press('Space');
    await keys.follow(/^Create webhook$/);
    await stage.waitForStatus(/created/);

    // 8. Write, test and activate a claims script.
    await keys.go('c');
    await page.locator('.cm-content').waitFor();
    await keys.tabTo(/^Editor: Script$/);
    await keys.press('ControlOrMeta+a', 'Backspace');
    await page.keyboard.insertText("const getCustomJwtClaims = async () => ({ rank: 'admiral' });");
    await keys.tabTo(/^Run test$/);
    await keys.press('Enter');
    await page.getByRole('region', { name: 'Result', exact: true }).getByText('"rank": "admiral"').waitFor();
    await keys.follow(/^Review changes$/);
    await keys.follow(/^Activate script$/);
    const { script } = await stage.service.api.must('GET /configs/jwt-customizer/access-token');
    expect(script).toContain('admiral');

    // 9. Act as a user, then revoke the token.
    await keys.go('i');
    await keys.follow(/^Act as a user$/);
    await keys.press('/');
    await page.keyboard.type('hopper');
    await Promise.all([page.waitForEvent('load'), keys.press('Enter')]);
    await keys.follow(/^Grace Hopper/);
    await keys.enter(/^Reason/, 'The bridge does not open');
    await keys.follow(/^Create subject token$/);
    await stage.waitForStatus(/This is the subject token/);
    await keys.follow(/^Subject tokens$/);
    await keys.follow(/^Revoke/);
    expect(await stage.rows('subjectTokens')).toMatchObject([{ revokedAt: expect.anything() }]);

    // 10. Read the audit log and an entry.
    await keys.go('s');
    await keys.follow(/^Audit log$/);
    await keys.follow(/subject-tokens|Revoked/);
    await heading(/./);
    expect(new URL(page.url()).pathname).toMatch(/\/settings\/audit\/\w+$/);
  });
});
