import type { Actor } from './actor-token.ts';
import type { FoundSubjectToken } from './find-subject-token.ts';

/** What is known of an exchange: the claims of its token and the rows about it are made of it. */
export interface Exchange {
  subjectToken: FoundSubjectToken;
  actor?: Actor | undefined;
}
