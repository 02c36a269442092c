import { appendFileSync, fsyncSync, openSync, readFileSync } from 'node:fs';

/**
 * A record of what the service acknowledged, synced to disk before the next request. Deliveries are compared with it.
 */
export class Ledger {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, 'a');
  }

  add(entry: string): void {
    appendFileSync(this.#file, `${entry}\n`);
    fsyncSync(this.#file);
  }

  entries(): string[] {
    return readFileSync(this.#path, 'utf8').split('\n').filter(Boolean);
  }
}
