import { type BatchedRead, textsFor } from '../../database/statements/batched-read.ts';
import type { SubjectTokenRow } from '../../database/tables/index.ts';

export type FoundSubjectToken = SubjectTokenRow & {
  isSubjectSuspended: boolean;
  /** True for an administrator of the console, of any tenant. */
  isSubjectAdministrator: boolean;
  roleIds: string[];
};

/** SQLite returns JSON as text, and the result of `exists` as 0 or 1. */
type Found = SubjectTokenRow & { isSuspended: boolean; isAdministrator: boolean | 0 | 1; roleIds: string[] | string };

const HELD = 'from user_roles held where held.tenant_id = token.tenant_id and held.user_id = token.user_id';
const ROLE_IDS = {
  sqlite: `(select json_group_array(held.role_id) ${HELD})`,
  postgres: `array(select held.role_id ${HELD})`,
};

const MANAGES =
  'exists (select 1 from administrators manager where manager.tenant_id = token.tenant_id and manager.user_id = token.user_id)';

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
      columns: `token.*, subject.is_suspended as is_suspended, ${MANAGES} as is_administrator, ${ROLE_IDS[kind]} as role_ids`,
      from: {
        sqlite: `subject_tokens token ${SUBJECT} where ${isIt('token')}`,
        // The limit forces this join order on PostgreSQL. In the other order it reads all tokens that the user ever had.
        postgres: `(select * from subject_tokens where ${isIt('subject_tokens')} limit 1) token ${SUBJECT}`,
      }[kind],
    };
  }),
  rowOf: ({ isSuspended, isAdministrator, roleIds, ...token }: Found) => ({
    ...token,
    isSubjectSuspended: isSuspended,
    isSubjectAdministrator: Boolean(isAdministrator),
    roleIds: typeof roleIds === 'string' ? JSON.parse(roleIds) : roleIds,
  }),
};
