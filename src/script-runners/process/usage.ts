import { ComputingTime } from './computing.ts';
import { ResidentMemory } from './memory.ts';

/** CPU time and memory that a process used since the current turn began. */
export class ProcessUsage {
  readonly #memory: ResidentMemory;
  readonly #computing: ComputingTime;

  constructor(pid: number) {
    this.#memory = new ResidentMemory(pid);
    this.#computing = new ComputingTime(pid);
  }

  /** Marks the beginning of a turn. */
  mark(): void {
    this.#memory.mark();
    this.#computing.mark();
  }

  /** Milliseconds of CPU since `mark`. Undefined where there is no /proc. */
  get computedMs(): number | undefined {
    return this.#computing.spentMs;
  }

  /** Resident bytes of the process. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Resident bytes added since `mark`. */
  get growth(): number {
    return this.#memory.growth;
  }

  /** True if the process has more resident bytes than this. Only checked in turns long enough for `growth` to have been read. */
  exceeds(bytes: number): boolean {
    return this.#memory.isWatched && this.#memory.bytes > bytes;
  }

  close(): void {
    this.#memory.close();
    this.#computing.close();
  }
}
