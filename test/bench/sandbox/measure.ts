export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Keeps this thread busy, as the rest of a request does between two runs. */
export function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Median microseconds of a call, with `pauseMs` of other work before each. */
export async function latencyUs(call: () => unknown, calls: number, pauseMs: number): Promise<number> {
  const [us] = await latenciesUs([call], calls, pauseMs);
  return us as number;
}

/** The same of several, in turn: whatever the machine does meanwhile, it does to all of them. */
export async function latenciesUs(each: (() => unknown)[], calls: number, pauseMs: number): Promise<number[]> {
  const times = each.map((): number[] => []);
  for (let i = 0; i < calls; i++) {
    for (const [j, call] of each.entries()) {
      work(pauseMs);
      // A turn of the loop: whatever the last call left to do is done before the next begins.
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      await call();
      times[j]?.push((performance.now() - startedAt) * 1000);
    }
  }
  return times.map(median);
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
