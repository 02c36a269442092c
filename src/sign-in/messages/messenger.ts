import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import { newId } from '../../base/ids.ts';
import type { Logger } from '../../observe/logger.ts';

export type Channel = 'email' | 'sms';

export interface Message {
  channel: Channel;
  to: string;
  /** E-mail only. */
  subject: string;
  text: string;
}

interface MessengerOptions {
  /** `smtp://user:password@host:port`, or `smtps://`. */
  smtpUrl: string | undefined;
  /** Gets `POST { to, text }` as JSON and sends it on. */
  smsUrl: string | undefined;
  /** Sender of e-mails. */
  from: string;
  /** Where messages are kept that no sender is configured for; undefined: they cannot be sent. */
  outbox: string | undefined;
  logger: Logger;
}

/** From the connection to the last answer. */
const TIMEOUT_MS = 15_000;

/** On their way at once: a sender that hangs must not make them a crowd. */
const MOST_SENDING = 100;

/** Sends codes. Never awaited by a page: how long it takes must not tell whether anything is sent. */
export class Messenger {
  readonly #options: MessengerOptions;
  readonly #mail: Transporter | undefined;
  readonly #sending = new Set<Promise<void>>();

  constructor(options: MessengerOptions) {
    this.#options = options;
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    this.#mail = options.smtpUrl ? createTransport({ url: options.smtpUrl, ...limits }) : undefined;
  }

  canSend(channel: Channel): boolean {
    const { smtpUrl, smsUrl, outbox } = this.#options;
    return outbox !== undefined || (channel === 'email' ? smtpUrl : smsUrl) !== undefined;
  }

  /** Whether no more should be given: to be asked whether or not there is something to send. */
  get isFull(): boolean {
    return this.#sending.size >= MOST_SENDING;
  }

  /** Goes out in the background; a failure is logged. */
  send(message: Message): void {
    const { logger } = this.#options;
    const sending = this.#deliver(message)
      .catch((error: unknown) => logger.error({ err: error, channel: message.channel }, 'message not sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Waits for what is on its way. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
    this.#mail?.close();
  }

  async #deliver(message: Message): Promise<void> {
    const { to, subject, text } = message;
    if (message.channel === 'email' && this.#mail) {
      // As an object: a text would be parsed, and could name other mailboxes.
      await this.#mail.sendMail({ from: this.#options.from, to: { name: '', address: to }, subject, text });
    } else if (message.channel === 'sms' && this.#options.smsUrl) {
      const answer = await fetch(this.#options.smsUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to, text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!answer.ok) throw new Error(`the SMS sender answered ${answer.status}`);
    } else {
      await this.#keep(message);
    }
  }

  /** Only while the service runs for its developer: see `outbox`. */
  async #keep(message: Message): Promise<void> {
    const { outbox, logger } = this.#options;
    if (outbox === undefined) throw new Error(`no sender is configured for ${message.channel}`);
    await mkdir(outbox, { recursive: true, mode: 0o700 });
    const file = join(outbox, `${Date.now()}-${newId()}.txt`);
    await writeFile(file, `To: ${message.to}\nSubject: ${message.subject}\n\n${message.text}\n`, { mode: 0o600 });
    logger.info({ to: message.to, text: message.text, file }, 'message kept, as no sender is configured');
  }
}
