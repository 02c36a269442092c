import type { Knex } from 'knex';

/** A webhook implementation on a clean database of its own. */
export interface Contestant extends AsyncDisposable {
  /** Undefined without PostgreSQL. */
  databaseUrl?: string | undefined;
  /** Enqueues messages 0 to count-1 for `start`. */
  fill(count: number): Promise<void>;
  /** Starts to deliver, 64 at a time. */
  start(): Promise<void>;
  /** Returns the number of messages that are not recorded as delivered. */
  unfinished(): Promise<number>;
  /** Enqueues one message. Resolves after the commit. */
  send(n: number): Promise<void>;
}

/** A queue that enqueues a message in the transaction of the change it is about. */
export interface Sender extends AsyncDisposable {
  send(db: Knex, payload: object): Promise<void>;
}

export interface PgBossSettings {
  batchSize: number;
  localConcurrency: number;
}

/** The queues in `../peers/webhooks.ts`. */
export interface PackagedPeers {
  pgBoss(url: string, postgresUrl: string, settings: PgBossSettings): Promise<Contestant>;
  bossSender(databaseUrl: string): Promise<Sender>;
  graphileWorker(url: string, postgresUrl: string, tuning: object): Promise<Contestant>;
}

export const IN_FLIGHT = 64;
export const SIGNING_KEY = 'k4Vb0wJ8sQ2mXr7TzLp5Yc1NdEa9HfGu';

/** About 700 bytes, like a typical event of the service. */
export function payloadOf(n: number): Record<string, unknown> {
  return {
    event: 'User.Data.Updated',
    createdAt: '2026-01-01T00:00:00.000Z',
    ip: '203.0.113.7',
    userAgent: 'integrator/1.0',
    path: '/users/u0a1b2c3d4e5',
    method: 'PATCH',
    status: 200,
    params: { userId: 'u0a1b2c3d4e5' },
    matchedRoute: '/users/:userId',
    data: {
      n,
      id: 'u0a1b2c3d4e5',
      username: 'barbara',
      name: 'Some Body',
      avatar: null,
      customData: { note: 'x'.repeat(240) },
    },
  };
}
