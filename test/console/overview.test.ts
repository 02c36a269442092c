import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look } from '../support/browser.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the overview on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const card = (title: string) => stage.page.getByRole('region', { name: title, exact: true });
  const number = (title: string) => card(title).locator('.plot-number');

  it('is where the console begins, and moves as things happen', async () => {
    const { page, service } = stage;
    await page.goto(stage.url(''));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { spa, mint, bob } = castOf(service);
    for (let count = 0; count < 3; count += 1) await spa.exchange({ subject_token: await mint() });
    await spa.exchange({ subject_token: 'sub_nobody' });

    await number('Impersonations').getByText('3', { exact: true }).waitFor();
    await card('Impersonations').getByText('3 running now').waitFor();
    await number('Requests refused').getByText('1', { exact: true }).waitFor();
    await card('Requests refused').getByText('For tokens 1').waitFor();

    const [impersonation] = await service.api.must(`GET /impersonations?subjectId=${bob.id}`);
    await service.api.must(`POST /impersonations/${impersonation.id}/revoke`);
    await card('Impersonations').getByText('2 running now').waitFor();
  });

  it('counts the runs of scripts and what becomes of webhooks', async () => {
    const { service, receiver } = stage;
    await service.api.must('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = async () => { throw new Error("no"); };',
      blockIssuanceOnError: false,
    });
    const { spa, mint } = castOf(service);
    await spa.exchange({ subject_token: await mint() });
    await stage.listenTo('Role.Created');
    await service.api.must('POST /roles', { name: 'Clerk', description: 'Counts' });
    await receiver.next('Role.Created');

    await card('Script runs').getByText('Failed 1').waitFor();
    await card('Webhook attempts').getByText('Delivered 1').waitFor();
    expect(await number('Script time, mean').textContent()).toMatch(/^[\d.]+ ms$/);
  });

  it('draws what the table behind each plot says', async () => {
    const { page } = stage;
    expect(await page.locator('.plot canvas').count()).toBe(7);
    expect(await page.locator('.plot-table table').count()).toBe(7);
    const tokens = card('Tokens issued');
    await tokens.getByText('Table').click();
    const sums = await tokens
      .locator('tbody')
      .evaluate((body) =>
        [...body.querySelectorAll('tr')].reduce(
          (sum, row) => sum + [...row.querySelectorAll('data')].reduce((own, { value }) => own + Number(value), 0),
          0,
        ),
      );
    expect(String(sums)).toBe(await number('Tokens issued').textContent());
    await look(page, 'console-overview-table');
    await tokens.locator('summary').click();
  });

  it('has its range in the address', async () => {
    const { page } = stage;
    for (const [name, range, points] of [
      ['1 hour', '1h', 60],
      ['24 hours', '24h', 48],
      ['7 days', '7d', 56],
    ] as const) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.waitForURL(stage.url(`/overview?range=${range}`));
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('true');
      expect(await card('Impersonations').locator('tbody tr').count()).toBe(points);
      expect(await number('Impersonations').textContent()).toBe('4');
    }
    await look(page, 'console-overview');
    const answer = await page.goto(stage.url('/overview?range=a-year'));
    expect(answer?.status()).toBe(200);
  });

  it('leads to the rows behind each number', async () => {
    const { page } = stage;
    await page.goto(stage.url('/overview'));
    const links = await page.locator('.plot-card a').evaluateAll((found) => found.map(({ href }) => href));
    expect(await page.locator('.plot-card h2 a').count()).toBe(await page.locator('.plot-card').count());
    for (const link of links) {
      const answer = await page.goto(link);
      expect([link, answer?.status()]).toEqual([link, 200]);
    }
    await page.getByText('Impersonation.Refused').waitFor(); // The last: what was refused.
  });

  it('says so when nothing has happened', async () => {
    const { page, database } = stage;
    await addTenant(database, 'quiet');
    const [{ userId } = {}] = await stage.rows('administrators');
    await database.write((db) =>
      db('administrators').insert({ tenantId: 'default', userId, managedTenantId: 'quiet', createdAt: Date.now() }),
    );
    const open = async () => (await page.goto(`${stage.service.url}/console/quiet/overview`))?.status();
    await expect.poll(open).toBe(200); // Of a new tenant it is known within a second.
    await page.getByText('Nothing has happened in the last 24 hours.').waitFor();
    await look(page, 'console-overview-empty');
  });
});
