import { Logger, makeWorkerUtils, type Runner, run } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { fromKnex, PgBoss } from 'pg-boss';
import { createDatabase } from '../../support/databases.ts';
import {
  type Contestant,
  IN_FLIGHT,
  type PackagedPeers,
  type PgBossSettings,
  type Sender,
} from '../webhooks/contestant.ts';
import { type Job, jobOf, poster } from '../webhooks/raw-posts.ts';

async function pgBoss(url: string, postgresUrl: string, settings: PgBossSettings): Promise<Contestant> {
  const database = await createDatabase('postgres', postgresUrl);
  const { post, close } = poster(url);
  const boss = new PgBoss({ connectionString: database.url as string, max: 20 });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('webhooks');
  return {
    databaseUrl: database.url,
    async fill(count) {
      const jobs = Array.from({ length: count }, (_, n) => ({ data: jobOf(n) }));
      for (let from = 0; from < count; from += 1000) await boss.insert('webhooks', jobs.slice(from, from + 1000));
    },
    async start() {
      const options = { ...settings, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
      await boss.work<Job>('webhooks', options, (jobs) => Promise.all(jobs.map(({ data }) => post(data))));
    },
    unfinished: () => countOf(database.url, `select count(*) from pgboss.job where state <> 'completed'`),
    async send(n) {
      await boss.send('webhooks', jobOf(n));
    },
    async [Symbol.asyncDispose]() {
      await boss.stop({ graceful: false });
      await close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function graphileWorker(url: string, postgresUrl: string, tuning: object): Promise<Contestant> {
  const database = await createDatabase('postgres', postgresUrl);
  const pgPool = new Pool({ connectionString: database.url, max: 20 });
  const dropped = () => undefined; // Its database is dropped while a connection may still be idle.
  pgPool.on('error', dropped).on('connect', (client) => client.on('error', dropped));
  const { post, close } = poster(url);
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  let runner: Runner | undefined;
  return {
    databaseUrl: database.url,
    async fill(count) {
      const jobs = Array.from({ length: count }, (_, n) => ({ identifier: 'webhook', payload: jobOf(n) }));
      for (let from = 0; from < count; from += 1000) await utils.addJobs(jobs.slice(from, from + 1000));
    },
    async start() {
      const preset = { worker: { logger, concurrentJobs: IN_FLIGHT, ...tuning } };
      runner = await run({ preset, pgPool, noHandleSignals: true, taskList: { webhook: (job) => post(job as Job) } });
    },
    unfinished: () => countOf(database.url, 'select count(*) from graphile_worker.jobs'),
    async send(n) {
      await utils.addJob('webhook', jobOf(n));
    },
    async [Symbol.asyncDispose]() {
      await runner?.stop();
      await utils.release();
      await pgPool.end();
      await close();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function countOf(url: string | undefined, query: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(query);
  await client.end();
  return Number(rows[0].count);
}

/** Sends in the caller's transaction, on the same database. */
async function bossSender(databaseUrl: string): Promise<Sender> {
  const boss = new PgBoss({ connectionString: databaseUrl, max: 2 });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('webhooks');
  return {
    async send(db, payload) {
      await boss.send('webhooks', payload, { db: fromKnex(db) });
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}

export const peers: PackagedPeers = { pgBoss, bossSender, graphileWorker };
