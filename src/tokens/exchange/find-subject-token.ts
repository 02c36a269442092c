import { type BatchedRead, textsFor } from '../../database/statements/batched-read.ts';
import type { SubjectTokenRow } from '../../database/tables/index.ts';
import { type FoundState, stateOf, stateOn } from './find-subject.ts';

export type FoundSubjectToken = SubjectTokenRow & {
  isSubjectSuspended: boolean;
  /** True for an administrator of the console, of any tenant. */
  isSubjectAdministrator: boolean;
  roleIds: string[];
};

const SUBJECT = 'join users subject on subject.tenant_id = token.tenant_id and subject.id = token.user_id';

/**
 * Finds a subject token by its hash, together with the current state of its user: suspended, administrator, roles. A
 * subject token always has a user, because it is deleted with the user.
 */
export const subjectTokenByHash: BatchedRead<FoundSubjectToken> = {
  texts: textsFor({ tenant_id: '', token_hash: '' }, (kind, valueFor) => {
    const isIt = (table: string) =>
      `${table}.tenant_id = ${valueFor('tenant_id')} and ${table}.token_hash = ${valueFor('token_hash')}`;
    return {
      columns: `token.*, ${stateOn(kind)}`,
      from: {
        sqlite: `subject_tokens token ${SUBJECT} where ${isIt('token')}`,
        // The limit forces this join order on PostgreSQL. In the other order it reads all tokens that the user ever had.
        postgres: `(select * from subject_tokens where ${isIt('subject_tokens')} limit 1) token ${SUBJECT}`,
      }[kind],
    };
  }),
  rowOf({ isSuspended, isAdministrator, roleIds, ...token }: SubjectTokenRow & FoundState) {
    const state = stateOf({ isSuspended, isAdministrator, roleIds });
    return {
      ...token,
      isSubjectSuspended: state.isSuspended,
      isSubjectAdministrator: state.isAdministrator,
      roleIds: state.roleIds,
    };
  },
};
