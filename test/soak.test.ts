import { describe, expect, it } from 'vitest';
import { MixedLoad } from './bench/soak/mixed-load.ts';
import { WatchedService } from './bench/soak/watched-service.ts';
import { createDatabase, databases } from './support/databases.ts';

const WARM_UP_SECONDS = 4;
const SECONDS = 6;

/** In a few seconds the heap still grows, by code that is compiled as it gets warm: measured, at most half of this. */
const WARMTH_MB = 4;
/** Whoever keeps something of each request keeps several KB: its own objects hold as much. */
const KB_PER_REQUEST = 1;

/** `npm run bench -- soak` is the long one. */
describe.each(databases)('memory under mixed load on %s', (kind) => {
  it('is not kept', async () => {
    await using database = await createDatabase(kind);
    await using service = await WatchedService.start(database.url);
    await using load = await MixedLoad.on(service);
    await load.run(WARM_UP_SECONDS);
    // On a slow machine the code gets warm later; what is kept of each request is kept whenever one looks.
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
