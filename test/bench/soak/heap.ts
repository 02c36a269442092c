/** Loaded ahead of the service, with `--expose-gc`: tells what is left after everything unreachable was collected. */
export interface Heap {
  usedMb: number;
  /** Of buffers outside the heap. */
  externalMb: number;
  rssMb: number;
}

const MB = 1024 * 1024;

process.on('message', async () => {
  // Twice, with a turn between: what the first round finalizes, the second collects.
  for (let round = 0; round < 2; round += 1) {
    (globalThis as typeof globalThis & { gc(): void }).gc();
    await new Promise(setImmediate);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ usedMb: heapUsed / MB, externalMb: external / MB, rssMb: rss / MB } satisfies Heap);
});
process.channel?.unref();
