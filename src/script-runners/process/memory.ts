import { ProcFile } from './proc.ts';

/** Bytes per page in /proc. Assumes 4 KiB pages, as on the platforms of Node's official binaries. */
const PAGE_BYTES = 4096;

/** Resident memory of a process, from /proc. Always 0 where there is no /proc, so no limit is ever exceeded there. */
export class ResidentMemory {
  readonly #file: ProcFile;
  /** Bytes at the first read of `growth` after `mark`. */
  #before: number | undefined;

  constructor(pid: number) {
    this.#file = new ProcFile(pid, 'statm');
  }

  get bytes(): number {
    return Number(this.#file.read()?.split(' ')[1] ?? 0) * PAGE_BYTES;
  }

  /** Starts counting growth from zero at the next read of it. A run that ends before that is too short to grow much. */
  mark(): void {
    this.#before = undefined;
  }

  get growth(): number {
    const { bytes } = this;
    this.#before ??= bytes;
    return bytes - this.#before;
  }

  /** True if `growth` was read since `mark`. */
  get isWatched(): boolean {
    return this.#before !== undefined;
  }

  close(): void {
    this.#file.close();
  }
}
