import type { TestProject } from 'vitest/node';
import { browserPath } from './chromium.ts';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which every test makes a database of its own. */
    postgresUrl: string;
  }
}

let postgres: Postgres | undefined;

/** One PostgreSQL for the whole run, or the one of `TEST_DATABASE_URL`, whose user must be allowed to create databases. */
export async function setup({ provide }: TestProject): Promise<void> {
  await browserPath(); // Two workers that unpacked it at once would start what the other still writes.
  const given = process.env.TEST_DATABASE_URL;
  if (given) return provide('postgresUrl', given);
  postgres = await startPostgres();
  provide('postgresUrl', postgres.url);
}

export async function teardown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]();
}
