import { isStaleStatement } from '../statements/prepared.ts';

/** A deadlock, or a serialization failure: PostgreSQL undid one of two so that the other could go on. */
const UNDONE = new Set(['40P01', '40001']);
const ATTEMPTS = 4;

/** Does again what the database undid for the sake of another transaction. Nothing of the undone attempt is left. */
export async function againWhenUndone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const isUndone = UNDONE.has(code) || isStaleStatement(error as object);
      if (attempt === ATTEMPTS || !isUndone) throw error;
    }
  }
}
