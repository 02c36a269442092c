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

describe.each(databases)('custom claims on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** One database's pages look like the other's. */
  const picture = async (page: Page, name: string) => kind === 'sqlite' && look(page, name);
  const write = (script: string) => stage.page.locator('.cm-content').fill(script);
  const outcome = () => stage.page.getByRole('region', { name: 'Result', exact: true });

  /** The claims of a token that is issued now. */
  async function issued() {
    const { spa, mint } = castOf(stage.service);
    return decodeJwt(
      (await spa.exchange({ subject_token: await mint({ context: { ticketId: 'T-7' } }) })).body.access_token,
    );
  }

  async function activate(page: Page) {
    await press(page, 'Review changes');
    await page.getByRole('heading', { name: 'Review changes' }).waitFor();
    await press(page, 'Activate');
  }

  it('are written, tried and activated, and rolled back by the same gesture', async () => {
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
    await press(page, 'Test');
    await outcome().getByText('"ticket": "T-1042"').waitFor();
    await outcome().getByText('asked for sample-user').waitFor();
    expect(await outcome().textContent()).toMatch(/Dropped, because the service answers for them: sub\./);
    await picture(page, 'claims-tested');
    expect(await stage.rows('script_versions')).toHaveLength(1); // The demonstration's: nothing was written.

    await activate(page);
    await stage.said(/Version 2 is active/);
    const [row] = await stage.rows('active_scripts');
    expect(row).toMatchObject({ tokenType: 'access-token', number: 2 });
    expect(await issued()).toMatchObject({ plan: 'silver', ticket: 'T-7' });

    await write(scriptOf("  return { plan: 'gold' };"));
    await page.getByLabel('Record the input of each run').check();
    await press(page, 'Review changes');
    await page.getByText("+  return { plan: 'gold' };").waitFor();
    await page.getByText('no → yes').waitFor();
    await picture(page, 'claims-review');
    await press(page, 'Activate');
    await stage.said(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });

    await stage.open('/claims/access-token/versions');
    await picture(page, 'claims-versions');
    await stage.link('Version 2').click();
    await page.getByText('From version 3 to version 2.').waitFor();
    await picture(page, 'claims-version');
    await press(page, 'Roll back');
    await stage.said(/Version 2 is active/);
    expect(await issued()).toMatchObject({ plan: 'silver' });
    await press(page, 'Undo');
    await stage.said(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });
  });

  it('are tried on a recorded run, which is found by its result and time', async () => {
    const { page, service } = stage;
    await stage.open('/claims/access-token');
    await write(scriptOf("  return api.denyAccess('closed today');"));
    await activate(page);
    await stage.said(/Version 4 is active/);
    const { spa, mint, bob } = castOf(service);
    expect((await spa.exchange({ subject_token: await mint() })).body.error).toBe('access_denied');

    await stage.open('/claims/access-token/runs');
    await page.getByRole('link', { name: 'denied' }).waitFor();
    await picture(page, 'claims-runs');
    await page.getByLabel('Result').selectOption('denied');
    await page.locator('select[name="time"]').selectOption('1h');
    await press(page, 'Filter');
    expect(new URL(page.url()).searchParams.get('result')).toBe('denied');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Version').fill('1');
    await press(page, 'Filter');
    await page.getByText('No run is like this.').waitFor();
    await stage.link('Clear').click();
    await stage.link('denied').click();
    await stage.said('closed today');
    await picture(page, 'claims-run');

    await stage.link('Try a script on its input').click();
    await write(scriptOf('  return { for: context.user.id };'));
    await press(page, 'Test');
    await outcome().getByText(`"for": "${bob.id}"`).waitFor();
    await write(scriptOf("  throw new Error('no luck');"));
    await press(page, 'Test');
    await outcome()
      .getByText(/no luck/)
      .waitFor();
    await picture(page, 'claims-thrown');
  });

  it('read environment variables, which are written and never shown', async () => {
    const { page } = stage;
    await stage.open('/claims/access-token/environment');
    await picture(page, 'claims-environment-empty');
    await stage.fill('Name', 'not a name');
    await press(page, 'Set variable');
    await page.getByText('This is not in the form it needs.').waitFor();
    await stage.fill('Name', 'REGION');
    await stage.fill('Value', 'eu-sesame');
    await press(page, 'Set variable');
    await stage.said(/REGION is set/);
    await picture(page, 'claims-environment');
    await stage.open('/claims/access-token');
    await write(scriptOf('  return { region: environmentVariables.REGION };'));
    await activate(page);
    await stage.said(/Version 6 is active/);
    expect(await issued()).toMatchObject({ region: 'eu-sesame' });
    for (const path of ['', '/environment', '/versions/6']) {
      await stage.open(`/claims/access-token${path}`);
      expect(await page.content()).not.toContain('eu-sesame');
    }
    await stage.open('/claims/access-token/environment');
    await page.getByRole('link', { name: 'Remove REGION' }).click();
    await press(page, 'Remove REGION');
    await stage.said(/REGION was removed/);
    expect(await issued()).not.toHaveProperty('region');
    await press(page, 'Undo');
    await stage.said(/Version 6 is active/);

    await stage.open('/claims/access-token');
    await stage.link('Stop using it').click();
    await press(page, 'Stop using it');
    await stage.said('No script is in use any more.');
    expect(await issued()).not.toHaveProperty('region');
    await page.getByText('Not in use.').waitFor();
    await stage.open('/claims/limits');
    await stage.fill(/^Time of a run/, '999999');
    await press(page, 'Save');
    await page.getByText(/^Must be at most /).waitFor();
    await picture(page, 'claims-limits');
  });

  it('are completed from what the function is given, and left by the keyboard', async () => {
    const { page } = stage;
    await stage.open('/claims/access-token');
    await write('');
    await page.locator('.cm-content').pressSequentially('const { grant } = context;\ngrant?.subjectTokenContext.tick');
    await page.locator('.cm-tooltip-autocomplete').getByText('ticketId').waitFor();
    await picture(page, 'claims-completion');
    // The editor takes no Enter for an answer in the first 75 ms of its list: somebody may have been typing on.
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Script', { exact: true }).last().textContent()).toContain(
      'subjectTokenContext.ticketId',
    );
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Test');
  });

  it('are written without JavaScript too; what somebody else activated meanwhile is shown first', async () => {
    const { service, browser, context } = stage;
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const page = await plain.newPage();
    await page.goto(stage.url('/claims/client-credentials'));
    await page.getByText('No script yet').waitFor();
    await page.getByLabel('Script', { exact: true }).fill('const getCustomJwtClaims = () => {');
    await press(page, 'Review changes');
    await page.getByText(/SyntaxError/).waitFor();
    await page.getByLabel('Script', { exact: true }).fill(scriptOf('  return { app: context.application.name };'));
    await page.getByText('Sample', { exact: true }).click();
    await page.getByLabel('token', { exact: true }).fill('[]');
    await press(page, 'Test');
    await page.getByText('Enter a JSON object').waitFor();
    await page.getByLabel('token', { exact: true }).fill('{ "clientId": "mine" }');
    await press(page, 'Test');
    await page.getByText('"app": "Support desk"').waitFor();
    await press(page, 'Review changes');
    await service.api.must('PUT /configs/jwt-customizer/client-credentials', { script: scriptOf('  return {};') });
    await press(page, 'Activate');
    await page.getByText('Somebody else changed what is in use meanwhile.', { exact: false }).waitFor();
    await press(page, 'Activate');
    await page.getByText('Version 2 is active.').waitFor();
    const [row] = await stage.rows('script_versions', { tokenType: 'client-credentials', number: 2 });
    expect(row?.tokenSample).toEqual({ clientId: 'mine' });
    await plain.close();
  });

  it('do not stop the service to compare scripts that share nothing', async () => {
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
