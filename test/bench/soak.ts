import { startPostgres } from '../support/postgres.ts';
import { MixedLoad } from './soak/mixed-load.ts';
import { WatchedService } from './soak/watched-service.ts';

const SECONDS = Number(process.env.SOAK_SECONDS ?? 600);
/** Warm-up before memory is measured: caches fill, code is compiled. */
const WARM_UP_SECONDS = Math.min(30, SECONDS / 4);
/** How often the heap is measured on the way. */
const STRETCHES = 10;

/**
 * Measures memory under mixed load for `SOAK_SECONDS`, on SQLite, or on PostgreSQL with `SOAK_DATABASE=postgres`. It
 * reports resident memory, and the heap after a full collection, which shows leaks.
 */
export async function bench() {
  await using postgres = process.env.SOAK_DATABASE === 'postgres' ? await startPostgres({ durable: true }) : undefined;
  await using service = await WatchedService.start(postgres?.url);
  await using load = await MixedLoad.on(service);
  await load.run(WARM_UP_SECONDS);
  const heaps = [await service.heap()];

  const latencies: Float64Array[] = [];
  const errors: string[] = [];
  let announced = 0;
  for (let stretch = 1; stretch <= STRETCHES; stretch += 1) {
    const result = await load.run(SECONDS / STRETCHES);
    latencies.push(result.latenciesMs);
    errors.push(...result.errors);
    announced = result.announced;
    heaps.push(await service.heap());
    const { usedMb, externalMb, rssMb } = rounded(heaps.at(-1));
    console.log(
      `${stretch}/${STRETCHES}: ${result.requests} requests, heap ${usedMb} + ${externalMb} MB, RSS ${rssMb} MB`,
    );
  }
  for (const error of new Set(errors)) console.log(`error: ${error}`);

  const all = Float64Array.from(latencies.flatMap((some) => [...some])).sort();
  const [first, last] = [rounded(heaps[0]), rounded(heaps.at(-1))];
  return {
    requests: all.length,
    errors: errors.length,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    rssStartMb: first.rssMb,
    rssEndMb: last.rssMb,
    heapStartMb: first.usedMb,
    heapEndMb: last.usedMb,
    announced,
    delivered: load.delivered,
    seconds: SECONDS,
  };
}

const tenth = (figure = Number.NaN) => Math.round(figure * 10) / 10;
const rounded = (heap: { usedMb: number; externalMb: number; rssMb: number } | undefined) => ({
  usedMb: tenth(heap?.usedMb),
  externalMb: tenth(heap?.externalMb),
  rssMb: tenth(heap?.rssMb),
});
const percentile = (sorted: Float64Array, share: number) => tenth(sorted[Math.floor(sorted.length * share)]);
