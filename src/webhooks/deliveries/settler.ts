import { Batch } from '../../base/batch.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Deliveries } from './deliveries.ts';
import type { Settlement } from './settle.ts';

/**
 * Writes settlements in batches. Settlements lost in a crash mean repeated deliveries, so few may be pending: never more
 * than arrive during one write. After `close` none is tried again: the leases expire by themselves.
 */
export class Settler extends Batch<Settlement> {
  constructor(deliveries: Deliveries, logger: Logger) {
    super({
      write: (settlements) => deliveries.settle(settlements),
      maxWaitMs: 5,
      fullAt: 100,
      maxEntries: 500, // For those that arrived during a slow write.
      onFailure: 'keep',
      retryMs: 1_000,
      onError: (err, rows) => logger.error({ err, rows }, 'Could not record webhook attempts'),
    });
  }
}
