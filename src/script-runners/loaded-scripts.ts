import type { Request } from '../../sandbox/protocol.ts';
import type { Job, ScriptVersion } from './types.ts';

type RunRequest = Extract<Request, { kind: 'run' }>;

/** A script of which the last run took longer than this many milliseconds has a turn of the runner for each. */
const QUICK_MS = 1;

/** Which scripts a runner holds, and by which name: the parent decides, because it also answers for the runner's memory. */
export class LoadedScripts {
  /** Names by script key, the least recently used first. */
  readonly #names = new Map<string, number>();
  readonly #quick = new Set<string>();
  readonly #most: number;
  #lastName = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#names.size;
  }

  has({ key }: ScriptVersion): boolean {
    return this.#names.has(key);
  }

  /** Whether it would be a waste to give its runs a turn each. */
  isQuick({ key }: ScriptVersion): boolean {
    return this.#quick.has(key);
  }

  /** @param wallMs of a run of this script */
  took({ key }: ScriptVersion, wallMs: number): void {
    if (wallMs <= QUICK_MS) this.#quick.add(key);
    else this.#quick.delete(key);
  }

  /** What the runner is told of a job. */
  requestOf(id: number, { script, input, timeoutMs, memoryMb }: Job, follows: boolean): Request {
    if (input === undefined) return { kind: 'compile', id, source: script.source, timeoutMs, memoryMb };
    return { kind: 'run', id, ...this.#use(script), input, timeoutMs, memoryMb, ...(follows && { follows }) };
  }

  /** The source only when the runner does not have it. */
  #use({ key, source }: ScriptVersion): Pick<RunRequest, 'script' | 'source' | 'unload'> {
    const known = this.#names.get(key);
    this.#names.delete(key);
    this.#names.set(key, known ?? ++this.#lastName);
    if (known !== undefined) return { script: known };
    const unload: number[] = [];
    for (const [oldest, name] of this.#names) {
      if (this.#names.size <= this.#most) break;
      this.#names.delete(oldest);
      this.#quick.delete(oldest);
      unload.push(name);
    }
    return { script: this.#lastName, source, unload };
  }
}
