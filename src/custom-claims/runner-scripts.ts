import type { ScriptVersion } from './sandbox-types.ts';

/** Which scripts a runner holds, and by which name: the parent decides, because it also answers for the runner's memory. */
export class LoadedScripts {
  /** Names by script key, the least recently used first. */
  readonly #names = new Map<string, number>();
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

  /** What to say to the runner so that it can run this script: the source only when it does not have it. */
  use({ key, source }: ScriptVersion): { script: number; source?: string; unload?: number[] } {
    const known = this.#names.get(key);
    this.#names.delete(key);
    this.#names.set(key, known ?? ++this.#lastName);
    if (known !== undefined) return { script: known };
    const unload: number[] = [];
    for (const [oldest, name] of this.#names) {
      if (this.#names.size <= this.#most) break;
      this.#names.delete(oldest);
      unload.push(name);
    }
    return { script: this.#lastName, source, unload };
  }
}
