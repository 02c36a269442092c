import type { FactorType, IdentifierType } from '../settings.ts';

/** The numbers in texts about verification codes. */
export interface CodeFacts {
  digits: number;
  /** The lifetime of a code. */
  minutes: number;
}

/** The facts that texts about refusals may include. */
export interface FaultFacts {
  /** The identifiers that the form accepts. */
  identifiers: readonly IdentifierType[];
  minPasswordLength: number;
  maxPasswordLength: number;
  /** Name of the identity provider, if the request involves one. */
  provider: string | undefined;
  /** The second factor that the form is about, if any. */
  factor: FactorType | undefined;
}

/** The text for each error code; a function if it includes facts. */
export type FaultTexts = Readonly<Record<string, string | ((facts: FaultFacts) => string)>>;

/** Returns `a, b or c` for the conjunction ` or `, which includes its spaces. */
export const alternatives = (items: readonly string[], conjunction: string, comma = ', '): string =>
  [items.slice(0, -1).join(comma), items.at(-1)].filter(Boolean).join(conjunction);
