import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** A file of a process in /proc. It stays open because it is read every few milliseconds while the process executes. */
export class ProcFile {
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
