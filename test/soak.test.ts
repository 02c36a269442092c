import { describe, expect, it } from 'vitest';
import { MixedLoad } from './bench/soak/mixed-load.ts';
import { WatchedService } from './bench/soak/watched-service.ts';
import { createDatabase, databases } from './support/databases.ts';

const WARM_UP_SECONDS = 4;
const SECONDS = 6;

/**
 * The heap still grows during the first seconds, because hot code is compiled: by at most half of this, as measured.
 */
const WARMTH_MB = 4;
/** A leak of something per request keeps several KB per request. */
const KB_PER_REQUEST = 1;

/** The long version is `npm run bench -- soak`. */
describe.each(databases)('memory under mixed load on %s', (kind) => {
  it('does not grow with the number of requests', async () => {
    await using database = await createDatabase(kind);
    await using service = await WatchedService.start(database.url);
    await using load = await MixedLoad.on(service);
    await load.run(WARM_UP_SECONDS);
    // On a slow host code is compiled later, so the check is repeated. A leak shows at every repetition.
    let excessMb = Number.POSITIVE_INFINITY;
    for (let window = 0; window < 3 && excessMb >= 0; window += 1) {
      const before = await service.heap();
      const { requests, errors, announced } = await load.run(SECONDS);
      const after = await service.heap();
      expect(errors).toEqual([]);
      expect(requests).toBeGreaterThan(100);
      const grownMb = after.usedMb + after.externalMb - before.usedMb - before.externalMb;
      excessMb = grownMb - WARMTH_MB - (requests * KB_PER_REQUEST) / 1024;
      await expect.poll(() => load.delivered).toBe(announced);
    }
    expect(excessMb).toBeLessThan(0);
  });
});
