import { importPeers } from '../support/load-peers.ts';
import type { Contestant, PackagedPeers, PgBossSettings } from './contestant.ts';
import { rawPosts } from './raw-posts.ts';
import { type Conditions, understudy } from './understudy.ts';

export interface Places {
  /** Where to deliver. */
  url: string;
  postgresUrl: string;
  /** An endpoint that never responds. */
  hangingUrl: string;
}

const PARKED = 100_000;
/** Locks and completes jobs in batches: the fastest mode in its documentation. */
const TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const onPostgres =
  (conditions: Conditions = {}) =>
  ({ url, postgresUrl }: Places): Promise<Contestant> =>
    understudy(url, postgresUrl, conditions);

const onSqlite =
  (conditions: Conditions = {}) =>
  ({ url }: Places): Promise<Contestant> =>
    understudy(url, undefined, conditions);

const pgBoss =
  (settings: PgBossSettings) =>
  async ({ url, postgresUrl }: Places) =>
    (await importPeers<PackagedPeers>('webhooks')).pgBoss(url, postgresUrl, settings);

const graphileWorker =
  (tuning: object) =>
  async ({ url, postgresUrl }: Places) =>
    (await importPeers<PackagedPeers>('webhooks')).graphileWorker(url, postgresUrl, tuning);

/** Every contestant by name. Each runs in a process of its own. */
export const contestants = {
  raw: ({ url }: Places) => rawPosts(url),
  understudyPostgres: onPostgres(),
  understudyParked: onPostgres({ parked: PARKED }),
  understudyBesideDead: (places: Places) =>
    onPostgres({ deadUrls: [places.hangingUrl, 'http://127.0.0.1:1/'] })(places),
  understudySqlite: onSqlite(),
  pacedPostgres: onPostgres({ isSubscribed: true }),
  pacedSqlite: onSqlite({ isSubscribed: true }),
  pgBoss50x16: pgBoss({ batchSize: 50, localConcurrency: 16 }),
  pgBoss100x4: pgBoss({ batchSize: 100, localConcurrency: 4 }),
  pgBoss100x1: pgBoss({ batchSize: 100, localConcurrency: 1 }),
  graphileDefault: graphileWorker({}),
  graphileTuned: graphileWorker(TUNED),
} satisfies Record<string, (places: Places) => Promise<Contestant>>;

export type Name = keyof typeof contestants;
