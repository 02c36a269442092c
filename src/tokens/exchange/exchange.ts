import type { Actor } from './actor-token.ts';
import type { FoundSubjectToken } from './find-subject-token.ts';

/** The verified inputs of a token exchange, from which its claims and its audit rows are made. */
export interface Exchange {
  subjectToken: FoundSubjectToken;
  actor?: Actor | undefined;
}
