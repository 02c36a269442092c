import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { curlOf } from '../../src/console/places/webhooks/attempt.ts';
import { press } from '../sign-in/stage.ts';
import { look as lookAt } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { status } from '../support/webhook-receiver.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the pages of a failing webhook on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    // Long delays, so that nothing is tried again by itself.
    stage = await ConsoleStage.open(kind, { WEBHOOK_RETRY_SCHEDULE: '0,3600,7200' });
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  afterEach(async () => {
    for (const { id } of await stage.rows('hooks')) await stage.service.api.must(`DELETE /hooks/${id}`);
    stage.receiver.behave(status(204));
  });

  const look: typeof lookAt = async (page, name) => {
    if (kind === 'sqlite') await lookAt(page, name);
  };
  const createHook = async (name = 'Billing'): Promise<string> => {
    const config = { url: stage.receiver.url, headers: { Authorization: 'Bearer abc' } };
    return (await stage.service.api.must('POST /hooks', { name, events: ['Role.Created'], config })).id;
  };
  let created = 0;
  const createRoles = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      created += 1;
      await stage.service.api.must('POST /roles', { name: `Role ${created}`, description: 'One' });
    }
  };

  it('say that it is paused, why and until when, and try again on request', async () => {
    const { page, receiver } = stage;
    receiver.behave(status(500));
    const id = await createHook();
    await stage.open(`/webhooks/${id}`);
    await createRoles(8);
    const note = page.locator('#health .note');
    await note.getByText(/Paused after \d+ failures in a row \(last: responded 500, just now\)/).waitFor();
    await note.getByText('8 deliveries are waiting.').waitFor();
    await note.getByText(/Next attempt: in \d minutes\./).waitFor();
    await look(page, 'console-webhook-paused');
    await stage.open('/webhooks');
    await page.getByText('Paused', { exact: true }).waitFor();

    await stage.open(`/webhooks/${id}/deliveries`);
    const next = (await page.locator('td[data-label="Next attempt"]').allInnerTexts()).filter(Boolean);
    expect(next.length).toBeGreaterThan(0);
    expect(next.filter((text) => !text.startsWith('in '))).toEqual([]); // None is in the past.

    receiver.behave(status(204));
    await stage.open(`/webhooks/${id}`);
    await press(page, 'Try now');
    await stage.waitForStatus('Trying now.');
    await page.getByText('Active', { exact: true }).waitFor();
    await page
      .locator('#traffic')
      .getByText(/^\d+(\.\d)?% of \d+ attempts$/)
      .waitFor();
    expect(await stage.rows('deliveries', { hookId: id })).toEqual([]);
    expect(await stage.rows('auditLog', { key: 'Management.POST /hooks/:id/resume' })).toMatchObject([
      { result: 'Success' },
    ]);
    await page.reload();
    expect(await page.locator('.plot canvas').count()).toBe(2);
    await look(page, 'console-webhook-traffic');
  });

  it('show the attempts of a delivery that were made and those to come', async () => {
    const { page, receiver } = stage;
    receiver.behave(status(503));
    const id = await createHook();
    await createRoles(1);
    await receiver.next('Role.Created');
    await stage.open(`/webhooks/${id}/deliveries`);
    await page.getByText('Retrying', { exact: true }).waitFor();
    await stage.link('Role.Created').click();
    const steps = page.locator('.timeline li');
    await expect.poll(() => steps.allInnerTexts()).toHaveLength(3);
    expect(await steps.nth(0).textContent()).toContain('Responded 503');
    expect(await steps.nth(1).textContent()).toContain('in 1 hour');
    expect(await steps.nth(1).getAttribute('aria-current')).toBe('step');
    expect(await steps.nth(2).textContent()).toContain('2 hours later');
    await page.locator('.attempt').getByText('Request', { exact: true }).click();
    const command = await page.getByRole('button', { name: 'Copy as curl' }).getAttribute('data-copy');
    expect(command).toContain("--header 'webhook-id: ");
    expect(command).not.toMatch(/signature|abc/i);
    await look(page, 'console-delivery-timeline');
  });

  it('list the deliveries of all webhooks', async () => {
    const { page, receiver } = stage;
    await createHook('Billing');
    const crm = await createHook('CRM');
    await createRoles(1);
    await receiver.take(2);
    await page.setViewportSize({ width: 390, height: 760 });
    await stage.open('/webhooks');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    const rows = page.getByRole('row').filter({ has: stage.link('Role.Created') });
    await expect.poll(() => rows.filter({ hasText: /Billing|CRM/ }).count()).toBe(2);
    expect(await page.getByLabel('Time range').inputValue()).toBe('24h');
    await page.getByLabel(/^Webhook/).selectOption({ label: 'CRM' });
    await page.getByLabel(/^Status/).selectOption('delivered');
    await press(page, 'Filter');
    await page.waitForURL(new RegExp(`webhook=${crm}`));
    await expect.poll(() => rows.count()).toBe(1);
    await look(page, 'console-all-deliveries');
    await stage.open('/webhooks/deliveries?since=1&until=2');
    await page.getByText('No deliveries match these filters.').waitFor();
    expect(await page.getByLabel('Time range').inputValue()).toBe('exact');
  });

  it('show the response to a test event', async () => {
    const { page, receiver } = stage;
    const id = await createHook();
    receiver.behave(status(418, { 'content-type': 'application/json' }, '{"reason":"<b>teapot</b>"}'));
    await stage.open(`/webhooks/${id}/test`);
    await press(page, 'Send test event');
    await page.getByText('The endpoint responded 418.').waitFor();
    await page.getByText('"reason": "<b>teapot</b>"').waitFor();
    await page.getByText(/^\d+ ms$/).waitFor();
    await look(page, 'console-webhook-test-response');
  });
});

describe('the curl command of an attempt', () => {
  it('has every value as one argument, whatever it contains', () => {
    const hook = { config: { url: "http://localhost/a'$(touch x)?[1]&b", headers: { "x'y": 'secret' } } };
    const delivery = { eventId: 'msg_1', body: `{"data":"it's $HOME \`id\` \\"}` };
    const attempt = { startedAt: 1_700_000_000_999 };
    const command = curlOf(...([hook, delivery, attempt] as unknown as Parameters<typeof curlOf>));
    const script = `curl() { printf '%s\\0' "$@"; }; ${command}`;
    const args = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
    expect(args).toEqual([
      '--globoff',
      '--request',
      'POST',
      hook.config.url,
      ...['--header', 'content-type: application/json', '--header', 'user-agent: Understudy'],
      ...['--header', 'webhook-id: msg_1', '--header', 'webhook-timestamp: 1700000000'],
      '--data-raw',
      delivery.body,
      '',
    ]);
  });

  it('has no keys for a terminal, which the name of a user may contain', () => {
    const hook = { config: { url: 'http://localhost/\x15date\x0f' } };
    const delivery = { eventId: 'msg_1', body: '{"name":"\x7f\x7f\x7f;date"}' };
    const attempt = { startedAt: 1_700_000_000_999 };
    expect(curlOf(...([hook, delivery, attempt] as unknown as Parameters<typeof curlOf>))).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
