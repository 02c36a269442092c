import { computeDigest, Passwords } from '../../src/sign-in/proofs/passwords.ts';

/** The cost of computing a digest: its kind and parameters, without salt and tag. */
const costOf = (digest: string): string =>
  digest
    .split('$')
    .slice(1, digest.startsWith('$2') ? 3 : 4)
    .join(' ');

/** Hashes passwords as the service does, and notes the cost of every digest that is computed. */
export class NotedPasswords extends Passwords {
  readonly #costs: string[];

  constructor() {
    const costs: string[] = [];
    super((digest, password) => {
      costs.push(costOf(digest));
      return computeDigest(digest, password);
    });
    this.#costs = costs;
  }

  /** Returns the costs noted since the last call. */
  takeCosts(): string[] {
    return this.#costs.splice(0);
  }
}
