import { newShortId } from '../../../src/base/ids.ts';
import type { Database } from '../../../src/database/database.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../../src/tokens/urns.ts';
import { LoadDriver } from '../support/load.ts';
import type { Understudy } from '../support/understudy.ts';
import { addSubjectTokens } from '../tokens/add-subject-tokens.ts';

export const REQUESTS = ['exchange', 'mint', 'write'] as const;
export type Request = (typeof REQUESTS)[number];
export type Latencies = Record<Request, number[]>;

/** Requests of each kind. All of them take about half of a core. */
export const PER_SECOND = 100;
const CONNECTIONS = 4;

/** Exchanges, mints and user changes at a fixed rate, each kind from a process and over connections of its own. */
export class PacedLoad implements Disposable {
  readonly #service: Understudy;
  readonly #database: Database;
  readonly #userIds: string[];
  readonly #drivers: Record<Request, LoadDriver> = {
    exchange: new LoadDriver(),
    mint: new LoadDriver(),
    write: new LoadDriver(),
  };

  constructor(service: Understudy, database: Database, userIds: string[]) {
    this.#service = service;
    this.#database = database;
    this.#userIds = userIds;
  }

  /** Sends this many requests of each kind at the same time. @returns milliseconds */
  async send(count: number): Promise<Latencies> {
    const { api, credentials, origin } = this.#service;
    const { demo } = credentials;
    const owner = { userId: demo.subject.id, creatorId: credentials.machine.clientId };
    const tokens = await addSubjectTokens(this.#database, 'default', owner, count);
    const forms = tokens.map((token) =>
      new URLSearchParams({
        grant_type: TOKEN_EXCHANGE,
        client_id: demo.clientId,
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        resource: demo.resource,
        scope: demo.scope,
      }).toString(),
    );
    const headers = { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' };
    const userAt = (index: number) => this.#userIds[index % this.#userIds.length] ?? '';
    const pace = { origin, connections: CONNECTIONS, intervalMs: 1_000 / PER_SECOND };

    const [exchange, mint, write] = await Promise.all([
      this.#drivers.exchange.send({
        ...pace,
        path: '/oidc/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        bodies: forms,
        status: 200,
      }),
      this.#drivers.mint.send({
        ...pace,
        path: '/api/subject-tokens',
        headers,
        bodies: Array.from({ length: count }, (_, index) => JSON.stringify({ userId: userAt(index) })),
        status: 201,
      }),
      this.#drivers.write.send({
        ...pace,
        method: 'PATCH',
        path: '',
        paths: Array.from({ length: count }, (_, index) => `/api/users/${userAt(index)}`),
        headers,
        bodies: Array.from({ length: count }, () => JSON.stringify({ name: `Name ${newShortId()}` })),
        status: 200,
      }),
    ]);
    return { exchange: exchange.latenciesMs, mint: mint.latenciesMs, write: write.latenciesMs };
  }

  [Symbol.dispose](): void {
    for (const driver of Object.values(this.#drivers)) driver[Symbol.dispose]();
  }
}
