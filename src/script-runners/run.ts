import { newRunState, type RunState } from './states.ts';
import type { RunAnswer, ScriptVersion } from './types.ts';

/** One execution of a script, or the check of a script at upload. It is answered exactly once. */
export class Run {
  readonly script: ScriptVersion;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** JSON text. Undefined if the script is only checked. */
  readonly input: string | undefined;
  /** When the run was first queued, as `performance.now()`. */
  readonly queuedAt = performance.now();
  /** Never rejects. */
  readonly answer: Promise<RunAnswer>;
  readonly #resolve: (answer: RunAnswer) => void;
  readonly #state = newRunState();
  #requeues = 0;

  constructor({ script, timeoutMs, memoryMb, input }: Pick<Run, 'script' | 'timeoutMs' | 'memoryMb' | 'input'>) {
    this.script = script;
    this.timeoutMs = timeoutMs;
    this.memoryMb = memoryMb;
    this.input = input;
    const { promise, resolve } = Promise.withResolvers<RunAnswer>();
    this.answer = promise;
    this.#resolve = resolve;
  }

  /** How many runners ended before they answered this run, because of something else. */
  get requeues(): number {
    return this.#requeues;
  }

  is(...states: RunState[]): boolean {
    return this.#state.is(...states);
  }

  /** @throws Error if the transition is not allowed */
  enter(state: Exclude<RunState, 'answered'>): void {
    this.#state.enter(state);
  }

  /** Makes the run wait again, because its runner ended before it answered. */
  requeue(): void {
    this.#state.enter('waiting');
    this.#requeues++;
  }

  /** Gives the caller the answer. @throws Error if the run is already answered */
  settle(answer: RunAnswer): void {
    this.#state.enter('answered');
    this.#resolve(answer);
  }

  /** Answers a run that no runner executes. */
  refuse(message: string): void {
    this.settle({ from: 'pool', result: 'overloaded', message, wallMs: 0 });
  }
}
