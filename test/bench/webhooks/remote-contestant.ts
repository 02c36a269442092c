import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Calls } from './contestant-process.ts';
import type { Name, Places } from './contestants.ts';

/**
 * A contestant in a process of its own, which stays for all rounds, as in production. In a shared process each one
 * would run code that V8 optimized for the others, and pay for collecting their garbage.
 */
export class RemoteContestant {
  readonly name: Name;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #places: Places;

  constructor(name: Name, places: Places) {
    this.#child = fork(new URL('contestant-process.ts', import.meta.url));
    this.name = name;
    this.pid = this.#child.pid as number;
    this.#places = places;
  }

  open = (): ReturnType<Calls['open']> => this.#call('open', this.name, this.#places);
  fill = (count: number): ReturnType<Calls['fill']> => this.#call('fill', count);
  start = (): ReturnType<Calls['start']> => this.#call('start');
  finish = (): ReturnType<Calls['finish']> => this.#call('finish');
  pace = (count: number, intervalMs: number): ReturnType<Calls['pace']> => this.#call('pace', count, intervalMs);
  close = (): ReturnType<Calls['close']> => this.#call('close');

  end(): void {
    this.#child.disconnect();
  }

  async #call<Call extends keyof Calls>(name: Call, ...args: Parameters<Calls[Call]>): Promise<never> {
    this.#child.send({ name, args });
    const [{ result, error }] = await once(this.#child, 'message');
    if (error) throw new Error(`${this.name}: ${error}`);
    return result as never;
  }
}
