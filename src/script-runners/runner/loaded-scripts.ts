import type { Request } from '../../../sandbox/protocol.ts';
import type { Run } from '../run.ts';
import type { ScriptVersion } from '../types.ts';

type RunRequest = Extract<Request, { kind: 'run' }>;

/** A script is quick if its last run took at most this many milliseconds. Only runs of quick scripts share turns. */
const QUICK_MS = 1;

/** Decides which scripts a runner keeps loaded, and under which number. The parent decides, because it also limits the memory of the runner. */
export class LoadedScripts {
  /** Numbers by script key, least recently used first. */
  readonly #numbers = new Map<string, number>();
  readonly #quick = new Set<string>();
  readonly #most: number;
  #lastNumber = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#numbers.size;
  }

  has({ key }: ScriptVersion): boolean {
    return this.#numbers.has(key);
  }

  /** True if runs of this script may share a turn. */
  isQuick({ key }: ScriptVersion): boolean {
    return this.#quick.has(key);
  }

  /** Updates whether the script is quick. @param wallMs duration of its last run */
  took({ key }: ScriptVersion, wallMs: number): void {
    if (wallMs <= QUICK_MS) this.#quick.add(key);
    else this.#quick.delete(key);
  }

  /** Returns the request for a run. @param follows true if the run is not the first of a shared turn */
  requestOf(id: number, { script, input, timeoutMs, memoryMb }: Run, follows: boolean): Request {
    if (input === undefined) return { kind: 'compile', id, source: script.source, timeoutMs, memoryMb };
    return { kind: 'run', id, ...this.#use(script), input, timeoutMs, memoryMb, ...(follows && { follows }) };
  }

  /** Includes the source only if the runner does not have it. */
  #use({ key, source }: ScriptVersion): Pick<RunRequest, 'script' | 'source' | 'unload'> {
    const known = this.#numbers.get(key);
    this.#numbers.delete(key);
    this.#numbers.set(key, known ?? ++this.#lastNumber);
    if (known !== undefined) return { script: known };
    const unload: number[] = [];
    for (const [oldest, number] of this.#numbers) {
      if (this.#numbers.size <= this.#most) break;
      this.#numbers.delete(oldest);
      this.#quick.delete(oldest);
      unload.push(number);
    }
    return { script: this.#lastNumber, source, unload };
  }
}
