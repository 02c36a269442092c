/** A deadlock, or a serialization failure: PostgreSQL undid one of two so that the other could go on. */
const UNDONE = new Set(['40P01', '40001']);
const ATTEMPTS = 4;

/** Does again what the database undid for the sake of another transaction. Nothing of the undone attempt is left. */
export async function againWhenUndone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !UNDONE.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}
