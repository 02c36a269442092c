import { ProcFile } from './proc.ts';

/** Bytes of one page in /proc. The same on every platform that Node's official binaries support with 4 KiB pages. */
const PAGE_BYTES = 4096;

/** Resident memory of a process, from /proc. Where there is none, nothing is ever exceeded. */
export class ResidentMemory {
  readonly #file: ProcFile;
  /** At the first look after `mark`. */
  #before: number | undefined;

  constructor(pid: number) {
    this.#file = new ProcFile(pid, 'statm');
  }

  get bytes(): number {
    return Number(this.#file.read()?.split(' ')[1] ?? 0) * PAGE_BYTES;
  }

  /** From here on growth is counted, beginning with the first look at it: a run too short to be looked at cannot grow much. */
  mark(): void {
    this.#before = undefined;
  }

  get growth(): number {
    const { bytes } = this;
    this.#before ??= bytes;
    return bytes - this.#before;
  }

  /** Whether anybody looked since `mark`. */
  get isWatched(): boolean {
    return this.#before !== undefined;
  }

  close(): void {
    this.#file.close();
  }
}
