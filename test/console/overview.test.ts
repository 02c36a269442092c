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

  it('is the start page and refreshes itself', async () => {
    const { page, service } = stage;
    await page.goto(stage.url(''));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { spa, mint, bob } = castOf(service);
    for (let count = 0; count < 3; count += 1) await spa.exchange({ subject_token: await mint() });
    await spa.exchange({ subject_token: 'sub_nobody' });

    await number('Impersonations').getByText('3', { exact: true }).waitFor();
    await card('Impersonations').getByText('3 active now').waitFor();
    await number('Rejected requests').getByText('1', { exact: true }).waitFor();
    await card('Rejected requests').getByText('Token requests 1').waitFor();

    const [impersonation] = await service.api.must(`GET /impersonations?subjectId=${bob.id}`);
    await service.api.must(`POST /impersonations/${impersonation.id}/revoke`);
    await card('Impersonations').getByText('2 active now').waitFor();
  });

  it('counts script runs and webhook delivery attempts', async () => {
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
    await card('Webhook delivery attempts').getByText('Delivered 1').waitFor();
    expect(await number('Average script time').textContent()).toMatch(/^[\d.]+ ms$/);
  });

  it('draws each plot from its table', async () => {
    const { page } = stage;
    expect(await page.locator('.plot canvas').count()).toBe(7);
    expect(await page.locator('.plot-table table').count()).toBe(7);
    const tokens = card('Tokens issued');
    await tokens.getByText('Table').click();
    const sums = await tokens
      .locator('table')
      .evaluate((table) =>
        [...table.querySelectorAll('tbody tr')].reduce(
          (sum, row) => sum + [...row.querySelectorAll('data')].reduce((own, { value }) => own + Number(value), 0),
          0,
        ),
      );
    expect(String(sums)).toBe(await number('Tokens issued').textContent());
    await look(page, 'console-overview-table');
    await tokens.locator('summary').click();
  });

  it('keeps its time range in the URL', async () => {
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
    const response = await page.goto(stage.url('/overview?range=a-year'));
    expect(response?.status()).toBe(200);
  });

  it('zooms in by dragging and with the keyboard, and carries the period into the rows', async () => {
    const { page } = stage;
    await page.goto(stage.url('/overview?range=24h'));
    const plot = card('Tokens issued').locator('.u-over');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the plot is not shown');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, y, { steps: 5 });
    // One time axis: the others show the same time.
    expect(await card('Rejected requests').locator('.plot-at').textContent()).toMatch(/^\d\d:\d\d: Token requests/);
    await page.mouse.up();
    await page.waitForURL(/since=\d+&until=\d+/);
    const { searchParams } = new URL(page.url());
    const [since, until] = [Number(searchParams.get('since')), Number(searchParams.get('until'))];
    expect(until - since).toBeGreaterThanOrEqual(11.5 * 3_600_000);
    expect(until - since).toBeLessThanOrEqual(12.5 * 3_600_000);
    await page.getByText(/^Activity from/).waitFor();
    expect(await number('Impersonations').textContent()).toBe('4');
    const rows = await card('Webhook delivery attempts').getByRole('link').first().getAttribute('href');
    expect(rows).toMatch(/\/webhooks\/deliveries\?since=\d+&until=\d+$/);

    const slider = page.getByRole('slider', { name: 'Tokens issued, by time' });
    const last = Number(await slider.getAttribute('aria-valuemax'));
    await slider.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await slider.getAttribute('aria-valuenow')).toBe(String(last - 2));
    expect(await slider.getAttribute('aria-valuetext')).toContain('Users');
    await look(page, 'console-overview-selected');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => Number(url.searchParams.get('since')) > since);
    const zoomed = new URL(page.url()).searchParams;
    expect(Number(zoomed.get('until')) - Number(zoomed.get('since'))).toBeLessThan((until - since) / 4);
  });

  it('filters the audit log and the impersonations by a period', async () => {
    const { page } = stage;
    const entries = page.locator('tbody tr');
    for (const path of ['/settings/audit', '/impersonations']) {
      await page.goto(stage.url(`${path}?since=1&until=2`));
      await page.getByText(/^Selected: /).waitFor();
      expect(await entries.count()).toBe(0);
      await page.goto(stage.url(`${path}?since=1&until=${Date.now() + 1_000}`));
      expect(await entries.count()).toBeGreaterThan(0);
    }
  });

  it('uses one time zone, the one of the reader', async () => {
    const storageState = await stage.context.storageState();
    const context = await stage.browser.newContext({ storageState, timezoneId: 'Asia/Kolkata', locale: 'en-US' });
    const page = await context.newPage();
    await page.goto(stage.url('/overview?range=1h'));
    await page.getByRole('region', { name: 'Tokens issued', exact: true }).getByText('Table').click();
    const head = page.locator('#tokens-table thead th').first();
    await expect.poll(() => head.textContent()).toBe('From (GMT+5:30)');
    const time = page.locator('#tokens-table time').first();
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const local = at.toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata', hour: '2-digit', minute: '2-digit' });
    expect(await time.textContent()).toBe(local);
    await context.close();
  });

  it('refreshes itself with what changed only', async () => {
    const { page, service } = stage;
    await page.goto(stage.url('/overview'));
    const whole = (await (await page.request.get(stage.url('/overview'))).body()).length;
    const sizes: number[] = [];
    page.on('response', async (response) => {
      if (response.request().headers()['x-shown'] !== undefined) sizes.push((await response.body()).length);
    });
    // A card is drawn again also while its table is open.
    await card('Impersonations').getByText('Table').click();
    const latest = page.locator('#impersonations-latest');
    const shown = await latest.textContent();
    const before = Number(await number('Impersonations').textContent());
    const { spa, mint } = castOf(service);
    expect((await spa.exchange({ subject_token: await mint() })).status).toBe(200);
    await number('Impersonations')
      .getByText(String(before + 1), { exact: true })
      .waitFor();
    await expect.poll(() => latest.textContent()).not.toBe(shown);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThan(whole / 3);
  });

  it('links each number to its rows', async () => {
    const { page } = stage;
    await page.goto(stage.url('/overview'));
    const links = await page.locator('.plot-card a').evaluateAll((found) => found.map(({ href }) => href));
    expect(await page.locator('.plot-card h2 a').count()).toBe(await page.locator('.plot-card').count());
    for (const link of links) {
      const response = await page.goto(link);
      expect([link, response?.status()]).toEqual([link, 200]);
    }
    await page.getByText('Tried to start impersonation').first().waitFor(); // The last link shows rejected requests.
  });

  it('shows an empty state without activity', async () => {
    const { page, database } = stage;
    await addTenant(database, 'quiet');
    const [{ userId } = {}] = await stage.rows('administrators');
    await database.write((db) =>
      db('administrators').insert({ tenantId: 'default', userId, managedTenantId: 'quiet', createdAt: Date.now() }),
    );
    const open = async () => (await page.goto(`${stage.service.url}/console/quiet/overview`))?.status();
    await expect.poll(open).toBe(200); // A new tenant is served within a second.
    await page.getByText('No activity in the last 24 hours.').waitFor();
    await look(page, 'console-overview-empty');
  });
});
