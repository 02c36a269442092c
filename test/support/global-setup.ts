import type { TestProject } from 'vitest/node';
import { browserPath } from './chromium.ts';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which every test creates its own database. */
    postgresUrl: string;
  }
}

let postgres: Postgres | undefined;

/**
 * Starts one PostgreSQL for the whole run, or uses the one of `TEST_DATABASE_URL`, whose user must be allowed to create
 * databases.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  await browserPath(); // Unpacked once here: two workers that unpack at the same time would run an incomplete binary.
  const given = process.env.TEST_DATABASE_URL;
  if (given) return provide('postgresUrl', given);
  postgres = await startPostgres();
  provide('postgresUrl', postgres.url);
}

export async function teardown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]();
}
