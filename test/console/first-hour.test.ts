import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/base/times.ts';
import { writeFigures } from '../../src/database/statistics/figure-writer.ts';
import { press } from '../sign-in/stage.ts';
import { look } from '../support/browser.ts';
import { castOf } from '../support/cast.ts';
import { databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';
import { status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the first hour on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open(kind, { WEBHOOK_RETRY_SCHEDULE: '0,600' });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const checklist = () => stage.page.getByRole('region', { name: 'Getting started' });
  const attention = () => stage.page.getByRole('region', { name: 'Needs attention' });
  const done = () => checklist().locator('.done').allInnerTexts();

  it('has a checklist that ticks itself, and goes when it is complete', async () => {
    const { page, service, database } = stage;
    const { alice, spa, mint } = castOf(service);
    await stage.open('/overview');
    await checklist().getByText('3 of 7 steps done.').waitFor(); // The demonstration did these.
    await look(page, 'console-checklist');
    const token = await spa.signIn(alice);
    await checklist().getByText('4 of 7').waitFor(); // The page refreshes itself.
    await spa.exchange({ subject_token: await mint(), actor_token: token });
    await checklist().getByText('5 of 7').waitFor();
    await stage.listenTo('Role.Created');
    await checklist().getByText('6 of 7').waitFor();
    expect(await done()).toHaveLength(6);
    await checklist().getByRole('link', { name: 'Add a second administrator' }).click();
    await page.getByRole('heading', { name: 'Administrators' }).waitFor();

    await stage.open('/overview');
    const right = { tenantId: 'default', userId: alice.id, managedTenantId: 'default', createdAt: Date.now() };
    await database.write((db) => db('administrators').insert(right));
    await expect.poll(() => checklist().count(), { timeout: 20_000 }).toBe(0);
  });

  it('has a checklist for each tenant, which can be hidden and shown again', async () => {
    const { page, database, service } = stage;
    await addTenant(database, 'fresh');
    const [ada] = await stage.rows('users', { username: 'ada' });
    const right = { tenantId: 'default', userId: ada?.id, managedTenantId: 'fresh', createdAt: Date.now() };
    await database.write((db) => db('administrators').insert(right));
    const open = async () => (await page.goto(`${service.url}/console/fresh/overview`))?.status();
    await expect.poll(open).toBe(200); // A new tenant is served within a second.
    await checklist().getByText('0 of 7 steps done.').waitFor();
    await look(page, 'console-checklist-empty');
    await press(page, 'Hide');
    await stage.waitForStatus('Checklist hidden.');
    expect(await checklist().count()).toBe(0);
    await press(page, 'Undo');
    await checklist().getByText('0 of 7 steps done.').waitFor();
    await press(page, 'Hide');
    await stage.waitForStatus('Checklist hidden.');
    await open();
    expect(await checklist().count()).toBe(0);
  });

  it('begins with what needs attention, each with a link to it', async () => {
    const { page, service, database } = stage;
    const { api } = service;
    await using broken = await WebhookReceiver.start({ behaviour: status(500) });
    await stage.open('/overview');
    expect(await attention().count()).toBe(0);

    const config = { url: broken.url };
    await api.must('POST /hooks', { name: 'Billing <b>', events: ['Role.Created'], config });
    await api.must('POST /roles', { name: 'Clerk', description: 'Counts' });
    await attention().getByText('Webhook “Billing <b>” is failing').waitFor();
    await attention().getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('heading', { name: 'Billing <b>' }).waitFor();

    await api.must('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = async () => { throw new Error("no"); };',
      blockIssuanceOnError: false,
    });
    const { spa, mint } = castOf(service);
    await spa.exchange({ subject_token: await mint() });
    const startsAt = Date.now() - (Date.now() % MINUTE_MS) - MINUTE_MS;
    const minutes = [startsAt, startsAt + MINUTE_MS]; // Also correct if the next minute begins here.
    const counts = { backlog: 1 };
    await writeFigures(
      database,
      minutes.map((startsAt) => ({ tenantId: 'default', startsAt, counts })),
    );
    const createdAt = Date.now() - 400 * 24 * 60 * MINUTE_MS;
    await database.write((db) => db('signingKeys').where({ tenantId: 'default' }).update({ createdAt }));
    await stage.open('/overview');
    await attention()
      .getByText(/1 script run of \d+ failed in the last hour/)
      .waitFor();
    const [worst, ...others] = await attention().getByRole('listitem').allInnerTexts();
    expect(worst).toContain('script run');
    expect(others).toEqual([
      expect.stringContaining('is failing: no successful delivery for'),
      'Events that wait for a delivery attempt: 1.',
      expect.stringMatching(/^The signing key is 400 days old\./),
    ]);
    await look(page, 'console-attention');
    for (const href of await attention()
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? '')))
      expect([href, (await page.goto(new URL(href, page.url()).href))?.status()]).toEqual([href, 200]);
  });
});
