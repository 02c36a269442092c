import { isStaleStatement } from '../statements/prepared.ts';

/** SQLSTATE of a deadlock and of a serialization failure: PostgreSQL rolled back one transaction for another. */
const UNDONE = new Set(['40P01', '40001']);
const MAX_RUNS = 4;

/** Runs `work` again if the database rolled it back because of another transaction or a stale prepared statement. */
export async function retryIfUndone<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run += 1) {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const isUndone = UNDONE.has(code) || isStaleStatement(error as object);
      if (run === MAX_RUNS || !isUndone) throw error;
    }
  }
}
