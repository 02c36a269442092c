/** Preloaded into the service with `--expose-gc`: reports the heap after a full collection. */
export interface Heap {
  usedMb: number;
  /** Buffers outside the heap. */
  externalMb: number;
  rssMb: number;
}

const MB = 1024 * 1024;

process.on('message', async () => {
  // Collects twice, with a turn of the event loop between: the second collects what the first finalized.
  for (let round = 0; round < 2; round += 1) {
    (globalThis as typeof globalThis & { gc(): void }).gc();
    await new Promise(setImmediate);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ usedMb: heapUsed / MB, externalMb: external / MB, rssMb: rss / MB } satisfies Heap);
});
process.channel?.unref();
