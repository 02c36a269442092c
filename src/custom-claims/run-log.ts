import { Batch } from '../base/batch.ts';
import { newOrderedId } from '../base/ids.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ScriptRunRow } from '../database/tables/index.ts';
import type { Logger } from '../observe/logger.ts';

/**
 * The run log. It is written in batches after the response was sent, so it does not slow down issuance. A killed process
 * loses at most the last 100 ms. While the database is too slow, new runs are dropped. It never contains the values of
 * claims.
 */
export class RunLog extends Batch<{ store: TenantStore; run: Omit<ScriptRunRow, 'tenantId' | 'id'> }> {
  constructor(logger: Logger) {
    const onError = (err: unknown) => logger.warn({ err }, 'Script runs could not be written to the run log');
    super({
      /** Inserts the runs of each tenant. A failed insert does not prevent the others. */
      write: async (runs) => {
        for (const [store, ofStore] of Map.groupBy(runs, ({ store }) => store)) {
          const rows = ofStore.map(({ run }) => ({ id: newOrderedId(run.createdAt), ...run }));
          await store.add('scriptRuns', rows).catch(onError);
        }
      },
      maxWaitMs: 100,
      maxEntries: 200, // Larger inserts gain nothing.
      maxUnwritten: 20_000,
      dropsOverflow: true,
      onFailure: 'drop',
      onError,
    });
  }
}
