import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/observe/logger.ts';
import { Messenger } from '../../src/sign-in/messages/messenger.ts';
import { hang, WebhookReceiver } from '../support/webhook-receiver.ts';

const logger = createLogger('silent');
const unset = { smtpUrl: undefined, smsUrl: undefined, outbox: undefined };
const none = { ...unset, from: 'no-reply@acme.example', logger, clock: Date.now };
const message = { channel: 'sms', to: '+4912345', subject: '', text: '123456 is your code' } as const;

describe('messages', () => {
  it('are posted to the SMS sender as JSON', async () => {
    await using receiver = await WebhookReceiver.start();
    const messenger = new Messenger({ ...none, smsUrl: receiver.url });
    expect([messenger.canSend('sms'), messenger.canSend('email')]).toEqual([true, false]);
    messenger.send(message);
    await messenger.close();
    expect(JSON.parse((await receiver.next()).body)).toEqual({ to: '+4912345', text: '123456 is your code' });
  });

  it('are written to the outbox without a sender, readable by the process owner only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'understudy-outbox-'));
    const messenger = new Messenger({ ...none, outbox: join(folder, 'outbox') });
    messenger.send(message);
    await messenger.close();
    const [file = ''] = await readdir(join(folder, 'outbox'));
    expect(await readFile(join(folder, 'outbox', file), 'utf8')).toContain('123456 is your code');
    await rm(folder, { recursive: true });
  });

  it('are refused while a hundred are being sent', async () => {
    await using receiver = await WebhookReceiver.start({ behaviour: hang });
    const messenger = new Messenger({ ...none, smsUrl: receiver.url });
    for (let count = 1; count < 100; count += 1) messenger.send(message);
    expect(messenger.isFull).toBe(false);
    messenger.send(message);
    expect(messenger.isFull).toBe(true);
    await receiver.stop();
    await messenger.close();
    expect(messenger.isFull).toBe(false);
  });

  it('cannot be sent without a sender and an outbox', () => {
    expect(new Messenger(none).canSend('email')).toBe(false);
  });
});
