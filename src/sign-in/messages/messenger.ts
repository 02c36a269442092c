import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Config } from '../../config/index.ts';
import type { Logger } from '../../observe/logger.ts';

export type Channel = 'email' | 'sms';

export interface Message {
  channel: Channel;
  to: string;
  /** Email only. */
  subject: string;
  text: string;
}

type MessengerOptions = Config['messages'] & { logger: Logger; clock: Clock };

/** Limit for the connection and for each response of the mail server or the SMS service. */
const TIMEOUT_MS = 15_000;

/** Maximum number of messages being sent, so that they cannot pile up while the mail server or SMS service hangs. */
const MAX_SENDING = 100;

/** Sends messages. Pages never wait for one: the response time must not reveal whether a message was sent. */
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

  /**
   * True if no further message is accepted. Check it whether or not there is a message to send, so that the answer
   * reveals nothing.
   */
  get isFull(): boolean {
    return this.#sending.size >= MAX_SENDING;
  }

  /** Sends in the background. Failures are logged. */
  send(message: Message): void {
    const { logger } = this.#options;
    const sending = this.#deliver(message)
      .catch((error: unknown) => logger.error({ err: error, channel: message.channel }, 'Message not sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Waits for the messages that are being sent. */
  async close(): Promise<void> {
    await Promise.all(this.#sending);
    this.#mail?.close();
  }

  async #deliver(message: Message): Promise<void> {
    const { to, subject, text } = message;
    if (message.channel === 'email' && this.#mail) {
      // An object: nodemailer would parse a string, which could name other mailboxes.
      await this.#mail.sendMail({ from: this.#options.from, to: { name: '', address: to }, subject, text });
    } else if (message.channel === 'sms' && this.#options.smsUrl) {
      const response = await fetch(this.#options.smsUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to, text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`The SMS sender responded ${response.status}`);
    } else {
      await this.#writeToOutbox(message);
    }
  }

  /** For development only: see `outbox`. */
  async #writeToOutbox(message: Message): Promise<void> {
    const { outbox, logger, clock } = this.#options;
    if (outbox === undefined) throw new Error(`No sender is configured for ${message.channel}`);
    await mkdir(outbox, { recursive: true, mode: 0o700 });
    const file = join(outbox, `${clock()}-${newId()}.txt`);
    await writeFile(file, `To: ${message.to}\nSubject: ${message.subject}\n\n${message.text}\n`, { mode: 0o600 });
    logger.info(
      { to: message.to, text: message.text, file },
      'Message written to the outbox, because no sender is configured',
    );
  }
}
