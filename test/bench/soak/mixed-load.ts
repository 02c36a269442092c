import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { signIn } from '../../../scripts/support/sign-in.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../../src/tokens/urns.ts';
import { ManagementClient, postForm } from '../../support/call.ts';
import type { WatchedService } from './watched-service.ts';

export interface LoadResult {
  requests: number;
  errors: string[];
  /** Milliseconds of every request, sorted. */
  latenciesMs: Float64Array;
  /** Events with a subscribed webhook, since the start. */
  announced: number;
}

/** The script is installed and removed, so exchanges run with and without one. */
const SCRIPT_TURN_MS = 1_000;

/** Generates sign-ins, exchanges with and without a script, writes, reads and webhooks at the same time. */
export class MixedLoad implements AsyncDisposable {
  readonly #service: WatchedService;
  readonly #api: ManagementClient;
  readonly #receiver: Server;
  readonly #script: string;
  readonly #latencies: number[] = [];
  readonly #errors: string[] = [];
  #roles = 0;
  #announced = 0;
  #delivered = 0;

  private constructor(service: WatchedService, api: ManagementClient, receiver: Server, script: string) {
    this.#service = service;
    this.#api = api;
    this.#receiver = receiver;
    this.#script = script;
    receiver.on('request', (request, response) => {
      this.#delivered += 1;
      request.resume();
      response.end();
    });
  }

  static async on(service: WatchedService): Promise<MixedLoad> {
    const { origin, credentials } = service;
    const api = new ManagementClient(origin, credentials.managementApiIndicator, credentials.machine);
    const receiver = createServer().listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const events = ['Role.Created', 'Role.Data.Updated', 'Role.Deleted', 'PostSignIn'];
    await api.must('POST /hooks', { name: 'Soak', events, config: { url } });
    const { script } = await api.must('GET /configs/jwt-customizer/access-token');
    return new MixedLoad(service, api, receiver, script);
  }

  async run(seconds: number): Promise<LoadResult> {
    const until = performance.now() + seconds * 1000;
    this.#latencies.length = 0;
    this.#errors.length = 0;
    const loop = async (work: () => Promise<void>) => {
      while (performance.now() < until) await work().catch((error: unknown) => this.#errors.push(String(error)));
    };
    const workers: [count: number, work: () => Promise<void>][] = [
      [3, () => this.#exchange()],
      [2, () => this.#clientCredentials()],
      [2, () => this.#write()],
      [2, () => this.#read()],
      [1, () => this.#signIn()],
      [1, () => this.#turnScript()],
    ];
    await Promise.all(workers.flatMap(([count, work]) => Array.from({ length: count }, () => loop(work))));
    return {
      requests: this.#latencies.length,
      errors: [...this.#errors],
      latenciesMs: Float64Array.from(this.#latencies).sort(),
      announced: this.#announced,
    };
  }

  /** Webhooks that arrived since the start. */
  get delivered(): number {
    return this.#delivered;
  }

  async #exchange(): Promise<void> {
    const { demo } = this.#service.credentials;
    const { subjectToken } = await this.#must('POST /subject-tokens', {
      userId: demo.subject.id,
      context: { ticketId: 'T' },
    });
    await this.#token({
      grant_type: TOKEN_EXCHANGE,
      client_id: demo.clientId,
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      resource: demo.resource,
      scope: demo.scope,
    });
  }

  async #clientCredentials(): Promise<void> {
    const { machine, managementApiIndicator } = this.#service.credentials;
    const { clientId: client_id, clientSecret: client_secret } = machine;
    await this.#token({
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      resource: managementApiIndicator,
      scope: 'all',
    });
  }

  async #write(): Promise<void> {
    this.#roles += 1;
    const { id } = await this.#must('POST /roles', { name: `Role ${this.#roles}`, description: 'Soaked' });
    await this.#must(`PATCH /roles/${id}`, { description: 'Wet' });
    await this.#must(`DELETE /roles/${id}`);
    this.#announced += 3;
  }

  async #read(): Promise<void> {
    for (const route of ['GET /users', 'GET /roles', 'GET /impersonations?page_size=5', 'GET /logs?page_size=5'])
      await this.#must(route);
  }

  async #signIn(): Promise<void> {
    const { demo } = this.#service.credentials;
    const { clientId, redirectUri, actor: person } = demo;
    await this.#timed(() => signIn({ endpoint: this.#service.origin, clientId, redirectUri, person }));
    this.#announced += 1;
  }

  async #turnScript(): Promise<void> {
    await this.#must('DELETE /configs/jwt-customizer/access-token');
    await pause(SCRIPT_TURN_MS);
    await this.#must('PUT /configs/jwt-customizer/access-token', { script: this.#script });
    await pause(SCRIPT_TURN_MS);
  }

  #must(route: string, body?: unknown) {
    return this.#timed(() => this.#api.must(route, body));
  }

  async #token(form: Record<string, string>): Promise<void> {
    const { status, body } = await this.#timed(() => postForm(`${this.#service.origin}/oidc/token`, form));
    if (status !== 200) throw new Error(`token: ${status} ${JSON.stringify(body)}`);
  }

  async #timed<T>(request: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await request();
    } finally {
      this.#latencies.push(performance.now() - startedAt);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#receiver.close(), 'close');
    this.#receiver.closeAllConnections();
    await closed;
  }
}
