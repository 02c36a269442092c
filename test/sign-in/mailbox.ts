import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

const PATIENCE_MS = 10_000;

/** A real SMTP server that keeps the messages it receives. */
export class Mailbox {
  readonly mails: Mail[] = [];
  readonly url: string;
  readonly #server: SMTPServer;
  readonly #waiting = new Set<() => void>();

  private constructor(server: SMTPServer, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(): Promise<Mailbox> {
    let mailbox: Mailbox | undefined;
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, done) {
        let raw = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          raw += chunk;
        });
        stream.on('end', () => {
          mailbox?.receive(session.envelope.rcptTo[0]?.address ?? '', raw);
          done();
        });
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    mailbox = new Mailbox(server, `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
    return mailbox;
  }

  receive(to: string, raw: string): void {
    const [head = '', body = ''] = raw.split('\r\n\r\n');
    const subject = /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '';
    this.mails.push({ to, subject, text: body.replaceAll('=\r\n', '') });
    for (const tell of [...this.#waiting]) tell();
  }

  /** Returns the code in the `count`th message, or in the `count`th to this address; waits for that message. */
  async code(count = 1, address?: string): Promise<string> {
    const deadline = AbortSignal.timeout(PATIENCE_MS);
    const sent = () => this.mails.filter(({ to }) => address === undefined || to === address);
    while (sent().length < count) {
      deadline.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        deadline.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    const [code = ''] = /\d{6}/.exec(sent()[count - 1]?.text ?? '') ?? [];
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
