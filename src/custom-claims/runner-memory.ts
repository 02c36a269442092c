import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

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
      this.#file = openSync(`/proc/${innermost(pid)}/statm`, 'r');
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
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Bubblewrap stays as the parent of what it starts; the runner itself has no children. */
export function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child ? innermost(Number(child)) : pid;
}
