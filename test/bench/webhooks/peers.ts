import { Logger, makeWorkerUtils, type Runner, run } from 'graphile-worker';
import { Pool as PostgresPool } from 'pg';
import { PgBoss } from 'pg-boss';
import { Pool } from 'undici';
import { secondsOf } from '../../../src/base/clock.ts';
import { signatureHeaders } from '../../../src/webhooks/signatures/signature.ts';
import { createDatabase } from '../../support/databases.ts';
import { type Contestant, IN_FLIGHT, payloadOf, SIGNING_KEY } from './contestant.ts';

interface Job {
  id: string;
  body: string;
}

const jobOf = (n: number): Job => ({ id: `event${n}`, body: JSON.stringify({ ...payloadOf(n), hookId: 'h' }) });

/** The minimum of a webhook: both signatures, a POST over a kept-alive connection, and its response read. */
function poster(url: string) {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  return {
    async post({ id, body }: Job): Promise<void> {
      const bytes = Buffer.from(body);
      const signatures = signatureHeaders({ id, timestamp: secondsOf(Date.now()), body: bytes, keys: [SIGNING_KEY] });
      const headers = { 'content-type': 'application/json', 'user-agent': 'bench', ...signatures };
      const answer = await pool.request({ method: 'POST', path, headers, body: bytes });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    },
    close: () => pool.close(),
  };
}

/** Signed POSTs without a queue: the upper bound for every queue. */
export async function rawPosts(url: string): Promise<Contestant> {
  const { post, close } = poster(url);
  let jobs: Job[] = [];
  return {
    async fill(count) {
      jobs = Array.from({ length: count }, (_, n) => jobOf(n));
    },
    async start() {
      let next = 0;
      const worker = async () => {
        for (let job = jobs[next++]; job; job = jobs[next++]) await post(job);
      };
      for (let lane = 0; lane < IN_FLIGHT; lane += 1) void worker();
    },
    send: (n) => post(jobOf(n)),
    [Symbol.asyncDispose]: close,
  };
}

export interface PgBossSettings {
  batchSize: number;
  localConcurrency: number;
}

export async function pgBoss(url: string, postgresUrl: string, settings: PgBossSettings): Promise<Contestant> {
  const database = await createDatabase('postgres', postgresUrl);
  const { post, close } = poster(url);
  const boss = new PgBoss({ connectionString: database.url as string, max: 20 });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('webhooks');
  return {
    async fill(count) {
      const jobs = Array.from({ length: count }, (_, n) => ({ data: jobOf(n) }));
      for (let from = 0; from < count; from += 1000) await boss.insert('webhooks', jobs.slice(from, from + 1000));
    },
    async start() {
      const options = { ...settings, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
      await boss.work<Job>('webhooks', options, (jobs) => Promise.all(jobs.map(({ data }) => post(data))));
    },
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

/** Locks and completes jobs in batches: the fastest mode in its documentation. */
export const GRAPHILE_TUNED = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

export async function graphileWorker(url: string, postgresUrl: string, tuning: object): Promise<Contestant> {
  const database = await createDatabase('postgres', postgresUrl);
  const pgPool = new PostgresPool({ connectionString: database.url, max: 20 });
  const dropped = () => undefined; // Its database is dropped while a connection may still be idle.
  pgPool.on('error', dropped).on('connect', (client) => client.on('error', dropped));
  const { post, close } = poster(url);
  const logger = new Logger(() => () => undefined);
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  let runner: Runner | undefined;
  return {
    async fill(count) {
      const jobs = Array.from({ length: count }, (_, n) => ({ identifier: 'webhook', payload: jobOf(n) }));
      for (let from = 0; from < count; from += 1000) await utils.addJobs(jobs.slice(from, from + 1000));
    },
    async start() {
      const preset = { worker: { logger, concurrentJobs: IN_FLIGHT, ...tuning } };
      runner = await run({ preset, pgPool, noHandleSignals: true, taskList: { webhook: (job) => post(job as Job) } });
    },
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
