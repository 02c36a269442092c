import { Batch } from '../base/batch.ts';
import { unavailable } from '../database/drivers/unavailable.ts';
import { type AuditDatabase, type OwnedEntry, recordOwned } from './record.ts';

/**
 * Writes audit entries in batches. It is for actions that change no other row (an issued token, a refusal), so that
 * they do not pay for a transaction each. A change is recorded in its own transaction, by `recordAudit`. The service
 * refuses requests while the batch is behind. Rejected: dropping entries, which leaves gaps.
 *
 * One statement writes the entries of all tenants. Rejected: a statement per tenant; with 500 tenants recording is then
 * slower than answering.
 */
export class AuditBatch extends Batch<OwnedEntry> {
  constructor({ database, onError }: { database: AuditDatabase; onError: (error: unknown) => void }) {
    super({
      write: (entries) => recordOwned(database, entries),
      maxWaitMs: 100,
      maxEntries: 1_000,
      maxUnwritten: 10_000, // A few megabytes.
      onFailure: 'split',
      isOutage: (error) => unavailable(error) !== undefined,
      onError,
    });
  }
}
