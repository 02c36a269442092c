import { ProcFile } from './proc.ts';

/** Milliseconds of one clock tick in /proc: 100 ticks a second on every platform of Node. */
const TICK_MS = 10;

/** Fields 14 and 15 of `stat`, user and system time, found by counting from the state that follows the name in parentheses. */
const TICKS = /\) (?:\S+ ){11}(\d+) (\d+) /;

/** CPU time that a process used in its current turn, as counted by the kernel, so that a busy host makes no run look slow. */
export class ComputingTime {
  readonly #file: ProcFile;
  /** Milliseconds of CPU since the process started, at the first read after `mark`. */
  #before: number | undefined;

  constructor(pid: number) {
    this.#file = new ProcFile(pid, 'stat');
  }

  /** Starts counting from zero at the next read of `spentMs`. */
  mark(): void {
    this.#before = undefined;
  }

  /** Milliseconds of CPU since the first read after `mark`, in steps of `TICK_MS`. Undefined where there is no /proc. */
  get spentMs(): number | undefined {
    const [, user, system] = TICKS.exec(this.#file.read() ?? '') ?? [];
    if (user === undefined) return undefined;
    const now = (Number(user) + Number(system)) * TICK_MS;
    this.#before ??= now;
    return now - this.#before;
  }

  close(): void {
    this.#file.close();
  }
}
