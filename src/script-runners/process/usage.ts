import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** Milliseconds of one clock tick in /proc: 100 ticks a second on every platform of Node. */
const TICK_MS = 10;

/** Bytes per page in /proc. Assumes 4 KiB pages, as on the platforms of Node's official binaries. */
const PAGE_BYTES = 4096;

/** Fields 14 and 15 of `stat`, user and system time, found by counting from the state that follows the name in parentheses. */
const TICKS = /\) (?:\S+ ){11}(\d+) (\d+) /;

/** CPU time and memory of a process since its current turn began, as counted by the kernel, so that a busy host makes no run look slow. */
export class ProcessUsage {
  readonly #stat: ProcFile;
  readonly #statm: ProcFile;
  /** Milliseconds of CPU since the process started, at the first read after `mark`. */
  #cpuMsBefore: number | undefined;
  /** Resident bytes at the first read of `growth` after `mark`. */
  #bytesBefore: number | undefined;

  constructor(pid: number) {
    this.#stat = new ProcFile(pid, 'stat');
    this.#statm = new ProcFile(pid, 'statm');
  }

  /** Marks the beginning of a turn. A turn that ends before the next read is too short to grow much. */
  mark(): void {
    this.#cpuMsBefore = undefined;
    this.#bytesBefore = undefined;
  }

  /** Milliseconds of CPU since the first read after `mark`, in steps of `TICK_MS`. Undefined where there is no /proc. */
  get computedMs(): number | undefined {
    const [, user, system] = TICKS.exec(this.#stat.read() ?? '') ?? [];
    if (user === undefined) return undefined;
    const now = (Number(user) + Number(system)) * TICK_MS;
    this.#cpuMsBefore ??= now;
    return now - this.#cpuMsBefore;
  }

  /** Resident bytes of the process. Always 0 where there is no /proc, so no limit is ever exceeded there. */
  get bytes(): number {
    return Number(this.#statm.read()?.split(' ')[1] ?? 0) * PAGE_BYTES;
  }

  /** Resident bytes added since the first read after `mark`. */
  get growth(): number {
    const { bytes } = this;
    this.#bytesBefore ??= bytes;
    return bytes - this.#bytesBefore;
  }

  /** True if the process has more resident bytes than this. Only checked in turns long enough for `growth` to have been read. */
  exceeds(bytes: number): boolean {
    return this.#bytesBefore !== undefined && this.bytes > bytes;
  }

  close(): void {
    this.#stat.close();
    this.#statm.close();
  }
}

/** A file of a process in /proc. It stays open because it is read every few milliseconds while the process executes. */
class ProcFile {
  readonly #file: number | undefined;
  readonly #bytes = Buffer.alloc(1024);

  constructor(pid: number, name: string) {
    try {
      this.#file = openSync(`/proc/${innermost(pid)}/${name}`, 'r');
    } catch {
      this.#file = undefined;
    }
  }

  /** Returns undefined once the process is gone, and always where there is no /proc. */
  read(): string | undefined {
    if (this.#file === undefined) return undefined;
    try {
      return this.#bytes.toString('latin1', 0, readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0));
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** Returns the id of the runner itself below wrappers: bubblewrap stays as its parent. The runner has no children of its own. */
export function innermost(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child ? innermost(Number(child)) : pid;
}
