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

/**
 * Returns the CPU microseconds, user and system, of a process and all its descendants, also those that ended. Needs
 * `/proc`; returns NaN without it.
 */
export function processorMicros(root: number): number {
  const all = processes();
  const family = new Set([root]);
  let micros = all.some(({ pid }) => pid === root) ? 0 : Number.NaN;
  // A set's iteration includes the items that are added meanwhile.
  for (const id of family) {
    for (const { pid, parent } of all) if (parent === id) family.add(pid);
    const found = all.find(({ pid }) => pid === id);
    // The threads' own counters are exact, but lack threads that ended.
    if (found) micros += found.ended + Math.max(found.own, threadMicros(id));
  }
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
