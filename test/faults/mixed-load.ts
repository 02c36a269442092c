import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { expect } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import type { Answer } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import type { Database } from '../support/databases.ts';
import { Ledger } from '../support/ledger.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Each of these repeats its request until stopped. */
const WORKERS = ['write', 'write', 'exchange', 'exchange', 'signIn', 'token'] as const;

/** Pause between requests to a service that is down. */
const PAUSE_MS = 30;

export interface LoadOptions {
  service: ServiceProcess;
  database: Database;
  receiver: WebhookReceiver;
}

/**
 * Concurrent sign-ins, token exchanges, writes with webhooks, and plain tokens, on a service that may die or fail at
 * any moment. Acknowledged requests are recorded in a ledger on disk, which `check` compares with the final state.
 */
export class MixedLoad {
  /** Responses that no fault explains. */
  readonly unexpected: string[] = [];
  /** Number of acknowledged requests of all kinds. */
  done = 0;
  /** Number of 503 responses. */
  unavailable = 0;
  /** Number of requests without a response. */
  cut = 0;
  readonly #options: LoadOptions;
  readonly #ledger: Ledger;
  #isOver = false;
  #working: Promise<unknown> | undefined;
  #count = 0;

  private constructor(options: LoadOptions) {
    this.#options = options;
    this.#ledger = new Ledger(`${options.database.dataDir}/ledger`);
  }

  /** Starts the load on a running service, and creates a webhook for the written users. */
  static async start(options: LoadOptions): Promise<MixedLoad> {
    const api = await options.service.api();
    await api.must('POST /hooks', { name: 'Load', events: ['User.Created'], config: { url: options.receiver.url } });
    const load = new MixedLoad(options);
    load.#working = Promise.all(WORKERS.map((kind) => load.#repeat(kind)));
    return load;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** Checks that nothing acknowledged is missing, no subject token was spent twice, and every event arrived. */
  async check(): Promise<void> {
    const { database, receiver } = this.#options;
    const acknowledged = (kind: string) =>
      this.#ledger.entries().flatMap((entry) => (entry.startsWith(`${kind} `) ? [entry.slice(kind.length + 1)] : []));
    const opened = connect({ databaseUrl: database.url, dataDir: database.dataDir, poolSize: 1 });
    try {
      const store = new TenantStore(opened, 'default');
      const users = new Set((await store.from('users').select('username')).map(({ username }) => username));
      expect(acknowledged('user').filter((name) => !users.has(name))).toEqual([]);

      const impersonations = await store.from('impersonations').select('id', 'subjectTokenId');
      const kept = new Set(impersonations.map(({ id }) => id));
      expect(acknowledged('impersonation').filter((id) => !kept.has(id))).toEqual([]);
      expect(new Set(impersonations.map(({ subjectTokenId }) => subjectTokenId)).size).toBe(impersonations.length);
    } finally {
      await opened.close();
    }
    const missing = () => {
      const arrived = new Set(receiver.arrivals.map(({ body }) => JSON.parse(body).data.username));
      return acknowledged('user').filter((name) => !arrived.has(name));
    };
    await expect.poll(missing, { timeout: 30_000, interval: 100 }).toEqual([]);
    expect(this.unexpected).toEqual([]);
  }

  async #repeat(kind: (typeof WORKERS)[number]): Promise<void> {
    while (!this.#isOver) {
      const answer = await this[kind]().catch((error: Error) => error);
      if (answer instanceof Error) this.cut += 1;
      else if (answer.status === 503) this.#refused(answer);
      else if (answer.status >= 300) this.unexpected.push(`${kind}: ${answer.status} ${JSON.stringify(answer.body)}`);
      else {
        this.done += 1;
        continue;
      }
      await pause(PAUSE_MS);
    }
  }

  #refused({ headers, body }: Answer): void {
    this.unavailable += 1;
    const isExplained = body?.code === 'request.unavailable' || body?.error === 'temporarily_unavailable';
    if (!isExplained || !headers.get('retry-after')) this.unexpected.push(`503 ${JSON.stringify(body)}`);
  }

  async write(): Promise<Answer> {
    this.#count += 1;
    const username = `load${this.#count}`;
    const answer = await (await this.#api()).call('POST /users', { username });
    if (answer.status === 200) this.#ledger.add(`user ${username}`);
    return answer;
  }

  /** Exchanges the same subject token twice at once. At most one may succeed. */
  async exchange(): Promise<Answer> {
    const { spa, bob } = await this.#cast();
    const minted = await (await this.#api()).call('POST /subject-tokens', { userId: bob.id });
    if (minted.status !== 201) return minted;
    const { subjectToken: subject_token } = minted.body;
    const tries = await Promise.allSettled([spa.exchange({ subject_token }), spa.exchange({ subject_token })]);
    const answers = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const won = answers.filter(({ status }) => status === 200);
    for (const { body } of won) this.#ledger.add(`impersonation ${decodeJwt(body.access_token).jti}`);
    if (won.length > 1) this.unexpected.push('a subject token was spent twice');
    const [first] = [...won, ...answers.filter(({ status }) => status !== 400)];
    if (!first) throw new Error('The connection was cut.');
    return first;
  }

  async signIn(): Promise<Answer> {
    const { spa, alice } = await this.#cast();
    await spa.signIn(alice);
    return { status: 200, headers: new Headers(), body: undefined };
  }

  async token(): Promise<Answer> {
    return (await this.#api()).call('GET /roles');
  }

  #api() {
    return this.#options.service.api();
  }

  async #cast() {
    const { service } = this.#options;
    return castOf({ url: service.url, api: await service.api(), credentials: await service.credentials() });
  }
}
