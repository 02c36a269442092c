import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../observe/logger.ts';
import { errorClassOf } from './unavailable.ts';

const TIMEOUT_MS = 30_000;
const PAUSE_MS = 1_000;

export class DatabaseUnreachableError extends Error {
  constructor(cause: unknown) {
    super(
      `The database did not respond for ${TIMEOUT_MS / 1000} s: ${(cause as Error).message || (cause as { code?: string }).code}`,
      { cause },
    );
    this.name = 'DatabaseUnreachableError';
  }
}

/**
 * Retries until the database responds, because a server and its database often start together.
 *
 * @throws {DatabaseUnreachableError} after 30 s; any other error at once
 */
export async function waitForDatabase<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let run = 1; ; run += 1) {
    try {
      return await work();
    } catch (error) {
      if (!['connection', 'pool'].includes(errorClassOf(error))) throw error;
      if (performance.now() > deadline) throw new DatabaseUnreachableError(error);
      if (run === 1)
        logger.warn({ reason: (error as Error).message }, 'Database is not responding yet; retrying for 30 s');
      await sleep(PAUSE_MS);
    }
  }
}
