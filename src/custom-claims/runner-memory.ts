import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes of one page in /proc. The same on every platform that Node's official binaries support with 4 KiB pages. */
const PAGE_BYTES = 4096;

/** Resident memory of a process, from /proc; where there is none, nothing is ever exceeded. */
export class ResidentMemory {
  readonly #file: number | undefined;
  readonly #text = Buffer.alloc(128);
  /** At the first look after `mark`. */
  #before: number | undefined;

  constructor(pid: number) {
    try {
      this.#file = openSync(`/proc/${pid}/statm`, 'r');
    } catch {
      this.#file = undefined;
    }
  }

  get bytes(): number {
    if (this.#file === undefined) return 0;
    try {
      const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
      return Number(this.#text.toString('latin1', 0, length).split(' ')[1] ?? 0) * PAGE_BYTES;
    } catch {
      return 0; // The process is gone.
    }
  }

  /** From here on growth is counted. */
  mark(): void {
    this.#before = undefined;
  }

  exceeds(total: number, growth: number): boolean {
    const bytes = this.bytes;
    this.#before ??= bytes;
    return bytes > total || bytes > this.#before + growth;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
