import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look as lookAt } from '../support/browser.ts';
import { type Cast, castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('long lists in the console on %s', (kind) => {
  let stage: ConsoleStage;
  let cast: Cast;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
    cast = castOf(stage.service);
    for (let number = 0; number < 21; number += 1)
      await stage.service.api.must('POST /users', { username: `many${number}` });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const look: typeof lookAt = async (page, name) => {
    if (kind === 'sqlite') await lookAt(page, name);
  };

  it('names who ended an impersonation, and ends several at once', async () => {
    const { page } = stage;
    const exchange = async (reason: string) => {
      const subject_token = await cast.mint({ context: { reason } });
      const { status } = await cast.spa.exchange({ subject_token, actor_token: await cast.spa.signIn(cast.alice) });
      expect(status).toBe(200);
    };
    for (const reason of ['first', 'second', 'third']) await exchange(reason);
    await stage.open('/impersonations?q=third');
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await stage.open('/impersonations');
    await page.getByLabel('Select all').check();
    await page
      .getByRole('checkbox', { name: /^Select the impersonation/ })
      .first()
      .uncheck();
    await press(page, 'End selected');
    await look(page, 'console-end-selected');
    await press(page, 'End 2 impersonations');
    await stage.waitForStatus('2 impersonations ended.');
    expect(await stage.rows('impersonations', { revokedAt: null })).toHaveLength(1);

    const [kept] = await stage.rows('impersonations', { revokedAt: null });
    await stage.service.api.must(`POST /impersonations/${kept?.id}/revoke`);
    await stage.open('/settings/audit?logKey=impersonation.end');
    await page.getByRole('rowheader').nth(2).waitFor();
    expect((await page.getByRole('rowheader').allTextContents())[0]).toMatch(/^Ended .*’s impersonation of user /);
    const actors = await page.locator('td[data-label="Actor"]').allTextContents();
    const [machine] = await stage.rows('applications', { id: stage.service.credentials.machine.clientId });
    expect(actors).toEqual([machine?.name, 'ada', 'ada']);
  });

  it('suspends several users, and says which were refused', async () => {
    const { page } = stage;
    await stage.open('/directory/users');
    await press(page, 'Suspend selected');
    await page.getByText('Select at least one user in the list.').waitFor();
    await stage.open('/directory/users?q=many');
    await page.getByRole('checkbox', { name: 'Select many1', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select many2', exact: true }).check();
    await press(page, 'Suspend selected');
    await press(page, 'Suspend 2 users');
    await stage.waitForStatus('2 users suspended.');
    expect(await stage.rows('users', { isSuspended: true })).toHaveLength(2);
  });

  it('exports lists as CSV that no spreadsheet evaluates', async () => {
    const { page, service } = stage;
    await service.api.must('POST /users', { username: 'formula', name: '=HYPERLINK("https://evil.example";"x")' });
    await service.api.must('POST /users', { username: 'semicolon', name: 'Eve;=1+1; "-2' });
    const download = async (path: string, name: string) => {
      await stage.open(path);
      const [file] = await Promise.all([page.waitForEvent('download'), stage.link(name).click()]);
      return { name: file.suggestedFilename(), lines: readFileSync(await file.path(), 'utf8').split('\r\n') };
    };
    const users = await download('/directory/users?q=formula', 'Export CSV');
    expect(users.name).toMatch(/^default-users-\d{4}-\d\d-\d\d\.csv$/);
    expect(users.lines[0]).toBe('id,name,username,email,phone,suspended,lastSignInAt,createdAt');
    expect(users.lines[1]).toContain(`,"'=HYPERLINK(""https://evil.example"";""x"")",formula,`);
    expect(users.lines).toHaveLength(3);
    const { lines } = await download('/directory/users?q=semicolon', 'Export CSV');
    expect(lines[1]).toContain(`,"Eve;'=1+1;' ""-2",semicolon,`);
    const audit = await download('/settings/audit?logKey=Created%20user', 'Export CSV');
    expect(audit.lines).toHaveLength(25); // More than a page.
    expect(audit.lines[1]).toContain('Created user ');
    const impersonations = await download('/impersonations', 'Export CSV');
    expect(impersonations.lines).toHaveLength(5);
  });
});
