import { readFile } from 'node:fs/promises';

/** The kernel's clock ticks are 10 ms on every Linux. */
const TICK_MICROS = 10_000;

/** Returns the CPU microseconds of a process, user and system, on all its threads. Needs `/proc`. */
export async function processorMicros(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Reads after the process name, which may contain anything. The state comes first; utime and stime are the 12th and
  // 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
