import { readFile } from 'node:fs/promises';

/** Of the kernel's clock ticks, which are 10 ms on every Linux. */
const TICK_MICROS = 10_000;

/** Microseconds of processor time a process has taken, user and system, on all its threads. Only where `/proc` is. */
export async function processorMicros(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // After the name, which may hold anything: the state is the first, utime and stime are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
