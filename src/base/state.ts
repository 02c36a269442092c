/** A named state with its allowed transitions; a transition outside the table is a programming error and throws. */
export class StateMachine<State extends string> {
  #state: State;
  readonly #name: string;
  readonly #transitions: Readonly<Record<State, readonly State[]>>;

  constructor(name: string, transitions: Readonly<Record<State, readonly State[]>>, initial: State) {
    this.#name = name;
    this.#transitions = transitions;
    this.#state = initial;
  }

  get current(): State {
    return this.#state;
  }

  is(...states: State[]): boolean {
    return states.includes(this.#state);
  }

  /** @throws Error if the table has no such transition. */
  enter(next: State): void {
    if (!this.#transitions[this.#state].includes(next))
      throw new Error(`${this.#name}: ${this.#state} → ${next} is not a transition`);
    this.#state = next;
  }
}
