import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press, signIn } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const PATH = '/configs/jwt-customizer/access-token';

const scriptOf = (...lines: string[]) => `const getCustomJwtClaims = async () => {\n${lines.join('\n')}\n};\n`;

describe.each(databases)('unsaved claims scripts on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Takes screenshots with SQLite only: the pages look the same with PostgreSQL. */
  const picture = async (page: Page, name: string) => {
    if (kind !== 'sqlite') return;
    await look(page, name);
    await page.setViewportSize({ width: 1000, height: 760 });
  };
  const editor = () => stage.page.locator('.cm-content');
  const offer = () => stage.page.getByText(/^Unsaved changes from /);
  const drafts = () => stage.page.evaluate('Object.keys(localStorage).length');

  async function openEditor() {
    await stage.open('/claims/access-token');
    await editor().waitFor();
  }

  it('are kept in the browser until they are restored and activated', async () => {
    const { page } = stage;
    await openEditor();
    await editor().fill(scriptOf('  return { draft: 1 };'));
    await page.getByLabel('Record the input of each run').check();
    await stage.link('Versions').click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('kept as a draft').waitFor();
    await press(page, 'Leave page');

    await openEditor();
    await offer().waitFor();
    await picture(page, 'claims-draft');
    expect(await editor().textContent()).not.toContain('draft: 1');
    await press(page, 'Restore');
    expect(await editor().textContent()).toContain('draft: 1');
    expect(await page.getByLabel('Record the input of each run').isChecked()).toBe(true);

    await press(page, 'Review changes');
    await page.getByText('+  return { draft: 1 };').waitFor();
    await press(page, 'Activate script');
    await stage.waitForStatus(/is active/);
    await openEditor();
    expect(await offer().isVisible()).toBe(false);
    expect(await drafts()).toBe(0);
  });

  it('can be discarded', async () => {
    const { page } = stage;
    await openEditor();
    await editor().fill(scriptOf('  return { draft: 2 };'));
    await openEditor();
    await press(page, 'Discard');
    await openEditor();
    expect(await offer().isVisible()).toBe(false);
    expect(await drafts()).toBe(0);
  });

  it('are compared with a version that was activated meanwhile, and can be combined with it', async () => {
    const { page, service } = stage;
    const lines = [
      '  // top',
      '  const one = 1;',
      ...Array.from({ length: 12 }, (_, line) => `  // ${line}`),
      '  return {};',
    ];
    await service.api.must(`PUT ${PATH}`, { script: scriptOf(...lines) });
    await openEditor();
    await editor().fill(scriptOf(...lines.with(0, '  // top of mine')));
    await service.api.must(`PUT ${PATH}`, { script: scriptOf(...lines.with(-1, '  return { theirs: true };')) });
    const [active] = await service.api.must(`GET ${PATH}/versions`);
    await press(page, 'Review changes');
    await page
      .getByText(
        new RegExp(
          `^Version ${active.number}, created by .+, was activated after you opened version ${active.number - 1}\\.`,
        ),
      )
      .waitFor();
    await page.getByRole('heading', { name: `Changes in version ${active.number}` }).waitFor();
    await page.getByRole('heading', { name: 'Your changes' }).waitFor();
    await picture(page, 'claims-conflict');

    await press(page, 'Combine both in the editor');
    await editor().waitFor();
    expect(await editor().textContent()).toContain('top of mine');
    expect(await editor().textContent()).toContain('theirs: true');
    await press(page, 'Review changes');
    await page.getByText('+  // top of mine').waitFor();
    expect(await page.getByText('was activated after').count()).toBe(0);
    await press(page, 'Activate script');
    await stage.waitForStatus(`Version ${active.number + 1} is active.`);
  });

  it('are not activated if nothing has changed', async () => {
    const { page, service } = stage;
    await service.api.must(`PUT ${PATH}`, { script: scriptOf('  return {};') }); // Without samples and switches.
    await openEditor();
    await press(page, 'Review changes');
    await page.getByText(/^Nothing has changed\. Version \d+ is already active\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Activate script' }).count()).toBe(0);
    await press(page, 'Back to editor');
    await editor().waitFor();
    expect(await drafts()).toBe(0);
  });

  it('can be tested after a new sign-in in another tab, and say what to do without a connection', async () => {
    const { page, context } = stage;
    await openEditor();
    await editor().fill(scriptOf("  return { still: 'here' };"));
    const outcome = page.getByRole('region', { name: 'Result', exact: true });
    await context.clearCookies({ name: 'console_session' });
    await page.getByRole('button', { name: 'Run test' }).click();
    await outcome.getByText('Your session has ended. Sign in again in another tab').waitFor();
    const other = await context.newPage();
    await other.goto(stage.url('/overview'));
    await signIn(other, 'ada', stage.password);
    await other.close();
    await page.getByRole('button', { name: 'Run test' }).click();
    await outcome.getByText('"still": "here"').waitFor();

    await context.setOffline(true);
    await page.getByRole('button', { name: 'Run test' }).click();
    await outcome.getByText('The service can’t be reached.').waitFor();
    await context.setOffline(false);
  });
});
