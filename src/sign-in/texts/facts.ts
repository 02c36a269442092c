import type { FactorType } from '../settings.ts';

/** The numbers that a text about a verification code includes. */
export interface CodeFacts {
  digits: number;
  /** How long the code is valid. */
  minutes: number;
}

/** The facts that a refusal can include. */
export interface FaultFacts {
  /** The identifiers that the form accepts, such as `Username or e-mail address`. */
  identifiers: string;
  minPasswordLength: number;
  maxPasswordLength: number;
  /** Name of the identity provider, if the request is about one. */
  provider: string | undefined;
  /** The second factor that the form is about, if any. */
  factor: FactorType | undefined;
}

/** The text of each refusal by error code; a function where it includes facts. */
export type FaultTexts = Readonly<Record<string, string | ((facts: FaultFacts) => string)>>;
