import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { press } from '../sign-in/stage.ts';
import { look as lookAt } from '../support/browser.ts';
import { databases } from '../support/databases.ts';
import { status } from '../support/webhook-receiver.ts';
import { ConsoleStage } from './stage.ts';

describe.each(databases)('the webhook pages on %s', (kind) => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    // A long delay, so that no retry interferes with the tests.
    stage = await ConsoleStage.open(kind, { WEBHOOK_RETRY_SCHEDULE: '0,3600' });
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  afterEach(async () => {
    for (const { id } of await stage.rows('hooks')) await stage.service.api.must(`DELETE /hooks/${id}`);
    stage.receiver.behave(status(204));
  });

  /** Takes screenshots with SQLite only: the pages look the same with PostgreSQL. */
  const look: typeof lookAt = async (page, name) => {
    if (kind === 'sqlite') await lookAt(page, name);
  };
  const open = (path: string) => stage.page.goto(stage.url(path));
  const link = (name: string | RegExp) => stage.page.getByRole('link', { name, exact: typeof name === 'string' });
  const fill = (label: string | RegExp, text: string) => stage.page.getByLabel(label).fill(text);
  const waitForText = (text: string | RegExp) => stage.page.getByText(text).first().waitFor();
  const createHook = (): Promise<{ id: string }> =>
    stage.service.api.must('POST /hooks', {
      name: 'Billing',
      events: ['User.Created', 'Role.Deleted'],
      config: { url: stage.receiver.url, headers: { Authorization: 'Bearer abc' } },
    });
  const shownSecret = async () => (await stage.page.getByText(/^whsec_/).textContent()) ?? '';

  /** Waits for the User.Created event of this user and skips those of other users. */
  const userCreatedEvent = async (username: string) => {
    for (;;) {
      const arrival = await stage.receiver.next('User.Created');
      if (JSON.parse(arrival.body).data.username === username) return arrival;
    }
  };

  it('create a webhook, show its signing secret once, and send events that the secret verifies', async () => {
    const { page, receiver, service } = stage;
    await open('/webhooks');
    await waitForText('No webhooks yet.');
    await look(page, 'console-webhooks-empty');
    await link('New webhook').first().click();
    await fill('Endpoint URL', 'ftp://nowhere');
    await press(page, 'Create webhook');
    await waitForText('Enter a value.');
    await fill('Name', 'Billing');
    await fill(/^Custom headers/, 'not a header');
    await press(page, 'Create webhook');
    await waitForText('The header not a header (without a colon) is not valid.');
    await fill(/^Custom headers/, 'Authorization: Bearer abc');
    await press(page, 'Create webhook');
    await page.locator('#events-fault').waitFor();
    await look(page, 'console-webhook-fault');
    const created = page.locator('.picked', { has: page.getByRole('checkbox', { name: 'User.Created', exact: true }) });
    await created.getByText('Example', { exact: true }).click();
    await created.getByText('"primaryEmail"').waitFor();
    await page.getByRole('checkbox', { name: 'User.Created', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Role.Deleted', exact: true }).check();
    await fill('Endpoint URL', receiver.url);
    await press(page, 'Create webhook');
    await waitForText('Copy them now');
    const secret = await shownSecret();
    await look(page, 'console-webhook-new');
    expect(await stage.rows('hooks')).toMatchObject([
      { name: 'Billing', events: ['User.Created', 'Role.Deleted'], enabled: true },
    ]);

    await page.reload();
    expect(await page.content()).not.toContain(secret);
    expect(await page.content()).not.toContain('whsec_');

    await service.api.must('POST /users', { username: 'bob' });
    const { body, headers } = await userCreatedEvent('bob');
    expect(headers.authorization).toBe('Bearer abc');
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      event: 'User.Created',
    });
    // The page refreshes itself.
    await link('User.Created').waitFor();
    await page.getByText('Delivered').waitFor();
    await look(page, 'console-webhook');
  });

  it('show every attempt with its request and response, and redeliver an event', async () => {
    const { page, receiver, service } = stage;
    const { id } = await createHook();
    await service.api.must('POST /users', { username: 'erin' });
    await userCreatedEvent('erin');
    receiver.behave(status(500, { 'content-type': 'application/json' }, '{"reason":"the disk is full"}'));
    await service.api.must('POST /users', { username: 'carol' });
    await userCreatedEvent('carol');
    await open(`/webhooks/${id}/deliveries?state=waiting`);
    await page.getByText('Retrying', { exact: true }).waitFor();
    await link('User.Created').click();
    await page.locator('#attempts').getByText('Responded 500').waitFor();
    await page.getByText('the disk is full').first().waitFor();
    await page.getByText('Request', { exact: true }).click();
    await page.getByText(/^POST http/).waitFor();
    await look(page, 'console-delivery');

    receiver.behave(status(204));
    await press(page, 'Redeliver event');
    await userCreatedEvent('carol');
    await page.getByText('Responded 204').waitFor();
    expect(await stage.rows('attempts', { hookId: id, trigger: 'manual', isSuccess: true })).toHaveLength(1);

    await open(`/webhooks/${id}/deliveries`);
    await page.getByLabel(/^Status/).selectOption('delivered');
    await page.getByLabel('Event').selectOption('User.Created');
    await press(page, 'Filter');
    await page.waitForURL(/state=delivered&event=User.Created/);
    const shown = page.getByRole('row').filter({ has: link('User.Created') }); // erin's, and the redelivery of carol's.
    expect(await shown.allInnerTexts()).toHaveLength(2);
    await look(page, 'console-deliveries');
    await open(`/webhooks/${id}/deliveries?event=Role.Deleted`);
    await waitForText('No deliveries match these filters.');
  });

  it('send a test event and show the response', async () => {
    const { page, receiver } = stage;
    const { id } = await createHook();
    await open(`/webhooks/${id}`);
    await link('Send test event').click();
    receiver.behave(status(418));
    await page.getByLabel('Event').selectOption('PostSignIn');
    await press(page, 'Send test event');
    await waitForText('The endpoint responded 418.');
    receiver.behave(status(200));
    await press(page, 'Send test event');
    await waitForText('The endpoint accepted the PostSignIn sample.');
    await receiver.next('PostSignIn');
    expect(JSON.parse((await receiver.next('PostSignIn')).body)).toMatchObject({
      interactionEvent: 'SignIn',
      hookId: id,
    });
    await look(page, 'console-webhook-test');
  });

  it('count and replay events, and show the progress', async () => {
    const { page, receiver, service } = stage;
    const { id } = await createHook();
    await service.api.must('POST /users', { username: 'fay' });
    await userCreatedEvent('fay');
    await open(`/webhooks/${id}`);
    await link('Replay events').click();
    await fill(/^From/, '2020-01-01T00:00');
    const { length: count } = await stage.rows('events', { type: 'User.Created' });
    await press(page, 'Count events');
    await waitForText(`${count} events would be replayed.`);
    await look(page, 'console-replay');
    const before = receiver.arrivals.length;
    await press(page, 'Replay events');
    await page.getByText('All events queued').waitFor();
    await page.getByText(`${count} of ${count} events`).waitFor();
    await receiver.reach(before + count);
    await look(page, 'console-replay-done');
    expect(await stage.rows('replays', { hookId: id })).toMatchObject([{ count, done: count, state: 'done' }]);
  });

  it('rotate the signing secret, with both secrets valid for a while', async () => {
    const { page } = stage;
    const { id } = await createHook();
    await open(`/webhooks/${id}`);
    await link('Rotate secret').click();
    await look(page, 'console-webhook-key');
    await press(page, 'Rotate secret');
    await waitForText('Copy them now');
    const secret = await shownSecret();
    await stage.service.api.must('POST /users', { username: 'dora' });
    const { body, headers } = await userCreatedEvent('dora');
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    new Webhook(secret).verify(body, headers as Record<string, string>);

    await open('/webhooks/verify');
    await waitForText('pip install standardwebhooks');
    await look(page, 'console-webhook-verify');
  });

  it('disable, enable, edit, and delete a webhook', async () => {
    const { page } = stage;
    const { id } = await createHook();
    await open(`/webhooks/${id}`);
    await press(page, 'Disable webhook');
    await waitForText('no events are sent');
    expect(await stage.rows('hooks')).toMatchObject([{ enabled: false }]);
    await press(page, 'Undo');
    await waitForText('Webhook enabled.');
    await link('Edit').click();
    expect(await page.getByLabel(/^Custom headers/).inputValue()).toBe('Authorization: Bearer abc');
    await fill('Name', 'Invoices of the whole group, with a name that needs more than a line on a phone');
    await page.getByRole('checkbox', { name: 'Role.Deleted', exact: true }).uncheck();
    await press(page, 'Save changes');
    await waitForText('Changes saved.');
    expect(await stage.rows('hooks')).toMatchObject([{ events: ['User.Created'], enabled: true }]);
    await open('/webhooks');
    await look(page, 'console-webhooks');
    await link(/^Invoices/).click();
    await link('Delete').click();
    await look(page, 'console-webhook-delete');
    await press(page, 'Delete webhook');
    await waitForText('deleted.');
    expect(await stage.rows('hooks')).toEqual([]);
    const deletion = { key: 'Management.DELETE /hooks/:id', applicationId: 'admin-console' };
    expect(await stage.rows('auditLog', deletion)).toMatchObject([{ result: 'Success' }]);
  });
});
