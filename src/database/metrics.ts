import type { Knex } from 'knex';
import { Histogram } from 'prom-client';
import { counterBy, gauge, gaugeBy, type Registry } from '../observe/metrics.ts';
import type { Database } from './database.ts';
import { poolOf } from './drivers/knex-connections.ts';
import { errorClassOf } from './drivers/unavailable.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10];

export interface DatabaseMetrics {
  /** Called with the number of transactions that shared a commit on SQLite. */
  onCommit(transactions: number): void;
  /** Returns the database with its operations measured. */
  measured(database: Database): Database;
}

export function databaseMetrics(registry: Registry): DatabaseMetrics {
  const registers = [registry];
  const transactionSeconds = new Histogram({
    name: 'understudy_database_transaction_seconds',
    help: 'Duration of a transaction or a single write statement, including the wait for a connection',
    labelNames: ['kind'] as const,
    buckets: SECONDS,
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'understudy_database_wait_seconds',
    help: 'Time to acquire a connection',
    buckets: SECONDS,
    registers,
  });
  const commitTransactions = new Histogram({
    name: 'understudy_database_commit_transactions',
    help: 'Transactions per commit on SQLite',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const failed = counterBy(
    registry,
    'understudy_database_errors_total',
    'Failed statements and connections, by error class',
    'class',
  );

  function timed(kind: string, begin: Database['transaction']): Database['transaction'] {
    return async (work) => {
      const startedAt = performance.now();
      try {
        return await begin(work);
      } finally {
        transactionSeconds.observe({ kind }, (performance.now() - startedAt) / 1000);
      }
    };
  }

  function watch(db: Knex): void {
    const askedAt = new Map<number, number>();
    const pool = poolOf(db);
    pool.on('acquireRequest', (id) => askedAt.set(id, performance.now()));
    pool.on('acquireSuccess', (id) => {
      waitSeconds.observe((performance.now() - (askedAt.get(id) ?? performance.now())) / 1000);
      askedAt.delete(id);
    });
    pool.on('acquireFail', (id, error) => {
      askedAt.delete(id);
      failed(errorClassOf(error));
    });
    db.on('query-error', (error: unknown) => failed(errorClassOf(error)));
  }

  return {
    onCommit: (transactions) => commitTransactions.observe(transactions),
    measured(database) {
      const { pools, waiting, write, byKey, transaction } = database;
      for (const pool of pools) watch(pool);
      const sum = (figure: 'numUsed' | 'numFree') => pools.reduce((total, db) => total + poolOf(db)[figure](), 0);
      gaugeBy(registry, 'understudy_database_connections', 'Open connections, by state', 'state', () => ({
        used: sum('numUsed'),
        free: sum('numFree'),
      }));
      gauge(
        registry,
        'understudy_database_waiting',
        'Requests that wait for a connection, or for the SQLite writer',
        waiting,
      );
      return {
        ...database,
        write: timed('write', write),
        byKey: timed('by_key', byKey),
        transaction: timed('transaction', transaction),
      };
    },
  };
}
