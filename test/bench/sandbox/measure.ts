export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Keeps this thread busy, as the rest of a request does between two runs. */
export function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Median microseconds of a call, with `pauseMs` of other work before each. */
export async function latencyUs(call: () => unknown, calls: number, pauseMs = 0): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < calls; i++) {
    work(pauseMs);
    // A turn of the loop: whatever the last call left to do is done before the next begins.
    if (pauseMs > 0) await new Promise((resolve) => setImmediate(resolve));
    const startedAt = performance.now();
    await call();
    times.push((performance.now() - startedAt) * 1000);
  }
  return median(times);
}

/** Calls per second with this many callers, for this many milliseconds. */
export async function rate(call: () => unknown, callers: number, ms: number): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const caller = async () => {
    for (; performance.now() < startedAt + ms; calls++) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls * 1000) / (performance.now() - startedAt);
}
