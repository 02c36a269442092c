import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

const scriptOf = (body: string) =>
  `const getCustomJwtClaims = async ({ token, context, environmentVariables, api }) => {\n${body}\n};`;

describe.each(databases)('claims scripts on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Takes screenshots with SQLite only: the pages look the same with PostgreSQL. */
  const picture = async (page: Page, name: string) => kind === 'sqlite' && look(page, name);
  const write = (script: string) => stage.page.locator('.cm-content').fill(script);
  const outcome = () => stage.page.getByRole('region', { name: 'Result', exact: true });

  /** Exchanges a new subject token and returns the claims of the access token. */
  async function issued() {
    const { spa, mint } = castOf(stage.service);
    return decodeJwt(
      (await spa.exchange({ subject_token: await mint({ context: { ticketId: 'T-7' } }) })).body.access_token,
    );
  }

  async function activate(page: Page) {
    await press(page, 'Review changes');
    await page.getByRole('heading', { name: 'Review changes' }).waitFor();
    await press(page, 'Activate script');
  }

  it('can be edited, tested, activated, and rolled back', async () => {
    const { page } = stage;
    await stage.open('/claims/access-token');
    await picture(page, 'claims-first');
    await write(scriptOf('  return {;'));
    await page
      .locator('#compiled')
      .getByText(/SyntaxError/)
      .waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await picture(page, 'claims-syntax-error');

    await write(
      scriptOf(`  const { user, grant } = context;
  console.log('asked for', user.id);
  return { plan: 'silver', sub: 'mallory', ticket: grant?.subjectTokenContext.ticketId };`),
    );
    await press(page, 'Run test');
    await outcome().getByText('"ticket": "T-1042"').waitFor();
    await outcome().getByText('asked for sample-user').waitFor();
    expect(await outcome().textContent()).toMatch(/Ignored: sub is a reserved claim\./);
    await picture(page, 'claims-tested');
    expect(await stage.rows('script_versions')).toHaveLength(1); // Only the demo script: the test stored nothing.

    await activate(page);
    await stage.waitForStatus(/Version 2 is active/);
    const [row] = await stage.rows('active_scripts');
    expect(row).toMatchObject({ tokenType: 'access-token', number: 2 });
    expect(await issued()).toMatchObject({ plan: 'silver', ticket: 'T-7' });

    await write(scriptOf("  return { plan: 'gold' };"));
    await page.getByLabel('Record the input of each run').check();
    await press(page, 'Review changes');
    await page.getByText("+  return { plan: 'gold' };").waitFor();
    await page.getByText('no → yes').waitFor();
    await picture(page, 'claims-review');
    await press(page, 'Activate script');
    await stage.waitForStatus(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });

    await stage.open('/claims/access-token/versions');
    await picture(page, 'claims-versions');
    await stage.link('Version 2').click();
    await page.getByText('From version 3 to version 2.').waitFor();
    await picture(page, 'claims-version');
    await press(page, 'Roll back to version 2');
    await stage.waitForStatus(/Version 2 is active/);
    expect(await issued()).toMatchObject({ plan: 'silver' });
    await press(page, 'Undo');
    await stage.waitForStatus(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });
  });

  it('can be tested with the input of a recorded run, found by result and time', async () => {
    const { page, service } = stage;
    await stage.open('/claims/access-token');
    await write(scriptOf("  return api.denyAccess('closed today');"));
    await activate(page);
    await stage.waitForStatus(/Version 4 is active/);
    const { spa, mint, bob } = castOf(service);
    expect((await spa.exchange({ subject_token: await mint() })).body.error).toBe('access_denied');

    await stage.open('/claims/access-token/runs');
    await page.getByRole('link', { name: 'Access denied' }).waitFor();
    await picture(page, 'claims-runs');
    await page.getByLabel('Result').selectOption('denied');
    await page.locator('select[name="time"]').selectOption('1h');
    await press(page, 'Filter');
    expect(new URL(page.url()).searchParams.get('result')).toBe('denied');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Version').fill('1');
    await press(page, 'Filter');
    await page.getByText('No runs match these filters.').waitFor();
    await stage.link('Clear').click();
    await stage.link('Access denied').click();
    await stage.waitForStatus('closed today');
    await picture(page, 'claims-run');

    await stage.link('Test with this input').click();
    await write(scriptOf('  return { for: context.user.id };'));
    await press(page, 'Run test');
    await outcome().getByText(`"for": "${bob.id}"`).waitFor();
    await write(scriptOf("  throw new Error('no luck');"));
    await press(page, 'Run test');
    await outcome()
      .getByText(/no luck/)
      .waitFor();
    await picture(page, 'claims-thrown');
  });

  it('read environment variables, whose values are never shown', async () => {
    const { page } = stage;
    await stage.open('/claims/access-token/environment');
    await picture(page, 'claims-environment-empty');
    await stage.fill('Name', 'not a name');
    await press(page, 'Set variable');
    await page.getByText('Enter letters, digits, and underscores only.').waitFor();
    await stage.fill('Name', 'REGION');
    await stage.fill('Value', 'eu-sesame');
    await press(page, 'Set variable');
    await stage.waitForStatus(/REGION set/);
    await picture(page, 'claims-environment');
    await stage.open('/claims/access-token');
    await write(scriptOf('  return { region: environmentVariables.REGION };'));
    await activate(page);
    await stage.waitForStatus(/Version 6 is active/);
    expect(await issued()).toMatchObject({ region: 'eu-sesame' });
    for (const path of ['', '/environment', '/versions/6']) {
      await stage.open(`/claims/access-token${path}`);
      expect(await page.content()).not.toContain('eu-sesame');
    }
    await stage.open('/claims/access-token/environment');
    await page.getByRole('link', { name: 'Remove REGION' }).click();
    await press(page, 'Remove variable');
    await stage.waitForStatus(/REGION removed/);
    expect(await issued()).not.toHaveProperty('region');
    await press(page, 'Undo');
    await stage.waitForStatus(/Version 6 is active/);

    await stage.open('/claims/access-token');
    await stage.link('Deactivate').click();
    await press(page, 'Deactivate script');
    await stage.waitForStatus('Script deactivated.');
    expect(await issued()).not.toHaveProperty('region');
    await page.getByText('Inactive.').waitFor();
    await stage.open('/claims/limits');
    await stage.fill(/^Maximum run time/, '999999');
    await press(page, 'Save limits');
    await page.getByText(/^Must be at most /).waitFor();
    await picture(page, 'claims-limits');
  });

  it('get completions for their parameters in an editor that the keyboard can leave', async () => {
    const { page } = stage;
    await stage.open('/claims/access-token');
    await write('');
    await page.locator('.cm-content').pressSequentially('const { grant } = context;\ngrant?.subjectTokenContext.tick');
    await page.locator('.cm-tooltip-autocomplete').getByText('ticketId').waitFor();
    await picture(page, 'claims-completion');
    // CodeMirror ignores Enter during the first 75 ms of a completion list.
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Script', { exact: true }).last().textContent()).toContain(
      'subjectTokenContext.ticketId',
    );
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Run test');
  });

  it('can be edited without JavaScript, with a warning if another version was activated in the meantime', async () => {
    const { service, browser, context } = stage;
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const page = await plain.newPage();
    await page.goto(stage.url('/claims/client-credentials'));
    await page.getByText('No script yet').waitFor();
    await page.getByLabel('Script', { exact: true }).fill('const getCustomJwtClaims = () => {');
    await press(page, 'Review changes');
    await page.getByText(/SyntaxError/).waitFor();
    await page.getByLabel('Script', { exact: true }).fill(scriptOf('  return { app: context.application.name };'));
    await page.getByText('Edit sample data', { exact: true }).click();
    await page.getByLabel('token', { exact: true }).fill('[]');
    await press(page, 'Run test');
    await page.getByText('Enter a JSON object').waitFor();
    await page.getByLabel('token', { exact: true }).fill('{ "clientId": "mine" }');
    await press(page, 'Run test');
    await page.getByText('"app": "Support desk"').waitFor();
    await press(page, 'Review changes');
    await service.api.must('PUT /configs/jwt-customizer/client-credentials', { script: scriptOf('  return {};') });
    await press(page, 'Activate script');
    await page.getByText(/^Version 1, created by .+, was activated after you opened the editor\./).waitFor();
    await press(page, 'Activate script');
    await page.getByText('Version 2 is active.').waitFor();
    const [row] = await stage.rows('script_versions', { tokenType: 'client-credentials', number: 2 });
    expect(row?.tokenSample).toEqual({ clientId: 'mine' });
    await plain.close();
  });

  it('are shown without a diff if too many lines differ', async () => {
    const { page, service } = stage;
    const long = (word: string) =>
      scriptOf(`${Array.from({ length: 2_500 }, (_, line) => `  // ${word} ${line}`).join('\n')}\n  return {};`);
    const path = '/configs/jwt-customizer/client-credentials';
    for (const word of ['left', 'right']) await service.api.must(`PUT ${path}`, { script: long(word) });
    const [newest] = await service.api.must(`GET ${path}/versions`);
    await stage.open(`/claims/client-credentials/versions/${newest.number}`);
    await page.getByText('More than 500 lines differ.').waitFor();
    expect(await page.getByRole('region', { name: 'Old script' }).textContent()).toContain('left 2499');
    expect(await page.getByRole('region', { name: 'New script' }).textContent()).toContain('right 2499');
  });
});
