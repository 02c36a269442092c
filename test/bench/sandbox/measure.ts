export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Blocks this thread, like the rest of a request between two runs. */
export function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Returns the median microseconds of a call, with `pauseMs` of other work before each. */
export async function latencyUs(call: () => unknown, calls: number, pauseMs: number): Promise<number> {
  const [us] = await latenciesUs([call], calls, pauseMs);
  return us as number;
}

/** Measures several calls in turn, so that a busy moment of the host affects all of them alike. */
export async function latenciesUs(each: (() => unknown)[], calls: number, pauseMs: number): Promise<number[]> {
  const times = each.map((): number[] => []);
  for (let i = 0; i < calls; i++) {
    for (const [j, call] of each.entries()) {
      work(pauseMs);
      // One turn of the event loop: finishes the leftover work of the last call first.
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      await call();
      times[j]?.push((performance.now() - startedAt) * 1000);
    }
  }
  return times.map(median);
}

/** Returns the calls per second of this many callers during this many milliseconds. */
export async function rate(call: () => unknown, callers: number, ms: number): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const caller = async () => {
    for (; performance.now() < startedAt + ms; calls++) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls * 1000) / (performance.now() - startedAt);
}
