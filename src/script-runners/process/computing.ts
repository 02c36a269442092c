import { ProcFile } from './proc.ts';

/** Milliseconds of one clock tick in /proc: 100 ticks a second on every platform of Node. */
const TICK_MS = 10;

/** Fields 14 and 15 of `stat`, user and system time, counted from the state that follows the name in parentheses. */
const TICKS = /\) (?:\S+ ){11}(\d+) (\d+) /;

/** CPU time that a process takes in its present turn, by the word of the kernel: a busy machine makes nobody look slow. */
export class ComputingTime {
  readonly #file: ProcFile;
  /** Milliseconds since the process started, at the first look after `mark`. */
  #before: number | undefined;

  constructor(pid: number) {
    this.#file = new ProcFile(pid, 'stat');
  }

  /** From here on time is counted, beginning with the first look at it. */
  mark(): void {
    this.#before = undefined;
  }

  /** Milliseconds, in steps of `TICK_MS`. Undefined where there is no /proc. */
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
