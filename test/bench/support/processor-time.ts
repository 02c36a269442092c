import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's clock ticks are 10 ms on every Linux. */
const TICK_MICROS = 10_000;

interface Process {
  pid: number;
  parent: number;
  /** CPU time of the process, including threads that ended. Cut off to ticks. */
  own: number;
  /** CPU time of children that ended, including their own children that ended. */
  ended: number;
}

/** CPU time of a process and of all its descendants at one moment, by process id. Microseconds, user and system. */
export type ProcessorTimes = Map<number, Pick<Process, 'own' | 'ended'> & { threads: number }>;

/** Needs `/proc`; returns nothing without it. */
export function processorTimes(root: number): ProcessorTimes {
  const all = processes();
  const times: ProcessorTimes = new Map();
  const family = new Set([root]);
  // A set's iteration includes the items that are added meanwhile.
  for (const id of family)
    for (const { pid, parent, own, ended } of all) {
      if (parent === id) family.add(pid);
      if (pid === id) times.set(pid, { own, ended, threads: threadMicros(pid) });
    }
  return times;
}

/** Returns the CPU microseconds between two moments, also of processes that ended meanwhile. NaN without `/proc`. */
export function microsBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  let micros = after.size > 0 ? 0 : Number.NaN;
  for (const [pid, { own, ended, threads }] of after) {
    const earlier = before.get(pid) ?? { own: 0, ended: 0, threads: 0 };
    const [ofProcess, ofThreads] = [own - earlier.own, threads - earlier.threads];
    // The counters of the threads are exact, but lack threads that ended.
    micros += ended - earlier.ended + (ofProcess > ofThreads + 2 * TICK_MICROS ? ofProcess : ofThreads);
  }
  // Its parent's `ended` now includes the whole life of a process that ended.
  for (const [pid, { own, ended }] of before) if (!after.has(pid)) micros -= own + ended;
  return micros;
}

function processes(): Process[] {
  return namesIn('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? textOf(`/proc/${name}/stat`) : '';
    if (stat === '') return [];
    // Reads after the process name, which may contain anything. The state comes first, then the parent; utime, stime,
    // cutime and cstime are the 12th to 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const micros = (index: number) => Number(fields[index]) * TICK_MICROS;
    return [
      { pid: Number(name), parent: Number(fields[1]), own: micros(11) + micros(12), ended: micros(13) + micros(14) },
    ];
  });
}

function threadMicros(pid: number): number {
  const nanos = namesIn(`/proc/${pid}/task`).map((id) => {
    return Number(textOf(`/proc/${pid}/task/${id}/schedstat`).split(' ')[0]);
  });
  return nanos.reduce((sum, each) => sum + each, 0) / 1_000;
}

/** Processes and threads may end between listing and reading them. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
