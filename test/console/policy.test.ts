import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

/** Collects the errors that the browser reports from now on, including violations of the Content-Security-Policy. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}

describe.each(databases)('the pages of the console on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('comply with their Content-Security-Policy, including all tools of the script editor', async () => {
    const { page } = stage;
    const complaints = complaintsOf(page);
    await stage.open('/claims/access-token');
    const content = page.locator('.cm-content');
    await content.fill('const getCustomJwtClaims = async ({ context }) => {\n  return {;\n};');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.locator('.cm-lintRange-error').first().hover();
    await content.fill('const getCustomJwtClaims = async ({ context }) => {\n  con\n};');
    await content.press('ArrowUp');
    await content.press('End');
    await page.keyboard.type('t');
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('let typed = 1;');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('(');
    expect(await content.textContent()).toBe('(let typed = 1;)');
    await page.keyboard.press('Control+f');
    await page.locator('.cm-search').waitFor();
    expect(complaints).toEqual([]);
  });

  it('comply when an input method selects and replaces text before the browser reports the selection', async () => {
    const { page } = stage;
    const complaints = complaintsOf(page);
    await stage.open('/claims/access-token');
    const content = page.locator('.cm-content');
    await content.fill('const first = 1;\nconst second = 2;');
    await page.evaluate(`
      addEventListener('selectionchange', (event) => event.isTrusted && event.stopImmediatePropagation(), true);`);
    await content.press('ArrowUp');
    await content.fill('const third = 3;\nconst fourth = 4;');
    expect(await page.locator('.cm-line').allTextContents()).toEqual(['const third = 3;', 'const fourth = 4;']);
    expect(complaints).toEqual([]);
  });

  it('work in a browser with a locale that JavaScript refuses', async () => {
    const { browser, context, service } = stage;
    const odd = await browser.newContext({ storageState: await context.storageState() });
    const page = await odd.newPage();
    await page.addInitScript(`
      const original = Date.prototype.toLocaleString;
      Date.prototype.toLocaleString = function (locales, options) {
        if (locales === undefined) throw new RangeError('Invalid language tag: en-US@posix');
        return original.call(this, locales, options);
      };`);
    const complaints = complaintsOf(page);
    await page.goto(`${service.url}/console/default/directory/users`);
    await page.locator('time').first().waitFor();
    expect(complaints).toEqual([]);
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/\d/);
    await odd.close();
  });
});
