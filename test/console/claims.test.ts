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
    await look(page, 'claims-first');
    await write(scriptOf('  return {;'));
    await page
      .locator('#compiled')
      .getByText(/SyntaxError/)
      .waitFor();
    await page.locator('.cm-lintRange-error').first().waitFor();
    await look(page, 'claims-syntax-error');

    await write(
      scriptOf(`  const { user, grant } = context;
  console.log('asked for', user.id);
  return { plan: 'silver', sub: 'mallory', ticket: grant?.subjectTokenContext.ticketId };`),
    );
    await press(page, 'Test');
    await outcome().getByText('"ticket": "T-1042"').waitFor();
    await outcome().getByText('asked for sample-user').waitFor();
    expect(await outcome().textContent()).toMatch(/Dropped, because the service answers for them: sub\./);
    await look(page, 'claims-tested');
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
    await look(page, 'claims-review');
    await press(page, 'Activate');
    await stage.said(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });

    await stage.open('/claims/access-token/versions');
    await look(page, 'claims-versions');
    await stage.link('Version 2').click();
    await page.getByText('From version 3 to version 2.').waitFor();
    await look(page, 'claims-version');
    await press(page, 'Roll back');
    await stage.said(/Version 2 is active/);
    expect(await issued()).toMatchObject({ plan: 'silver' });
    await press(page, 'Undo');
    await stage.said(/Version 3 is active/);
    expect(await issued()).toMatchObject({ plan: 'gold' });
  });
});
