import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../observe/logger.ts';
import { errorClassOf } from './error-class.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 1_000;

export class DatabaseUnreachableError extends Error {
  constructor(cause: unknown) {
    super(
      `The database did not answer for ${PATIENCE_MS / 1000} s: ${(cause as Error).message || (cause as { code?: string }).code}`,
      { cause },
    );
    this.name = 'DatabaseUnreachableError';
  }
}

/**
 * Tries until the database answers. A server and its database often start together.
 *
 * @throws {DatabaseUnreachableError} after 30 s; any other error at once
 */
export async function waitForDatabase<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!['connection', 'pool'].includes(errorClassOf(error))) throw error;
      if (Date.now() > deadline) throw new DatabaseUnreachableError(error);
      if (attempt === 1)
        logger.warn({ reason: (error as Error).message }, 'database does not answer yet; trying for 30 s');
      await sleep(PAUSE_MS);
    }
  }
}
