import { type BatchedRead, type DatabaseKind, textsFor } from '../../database/statements/batched-read.ts';
import type { Row } from '../../database/tables/index.ts';

/** The user for whom a subject token is requested or exchanged. */
export type SubjectState = {
  isSuspended: boolean;
  /** True for an administrator of the console, of any tenant. Not cached, so a new administrator is protected at once. */
  isAdministrator: boolean;
  roleIds: string[];
};

/** The user for whom a subject token is requested, and the tenant's rules. */
export type Subject = SubjectState & {
  /** The tenant's settings for impersonation, if it has any. */
  settings: Row<'configs'>['settings'] | null;
};

/** SQLite returns JSON as text, and the result of `exists` as 0 or 1. */
export type FoundState = { isSuspended: boolean; isAdministrator: boolean | 0 | 1; roleIds: string[] | string };

const HELD = 'from user_roles held where held.tenant_id = subject.tenant_id and held.user_id = subject.id';
const ROLE_IDS = {
  sqlite: `(select json_group_array(held.role_id) ${HELD})`,
  postgres: `array(select held.role_id ${HELD})`,
};

const MANAGES =
  'exists (select 1 from administrators manager where manager.tenant_id = subject.tenant_id and manager.user_id = subject.id)';

const SETTINGS = `(select settings from configs where configs.tenant_id = subject.tenant_id and configs.key = 'impersonation')`;

/** The columns of a user's state. The statement's `from` names the user's row `subject`. */
export const stateOn = (kind: DatabaseKind): string =>
  `subject.is_suspended as is_suspended, ${MANAGES} as is_administrator, ${ROLE_IDS[kind]} as role_ids`;

export const stateOf = ({ isSuspended, isAdministrator, roleIds }: FoundState): SubjectState => ({
  isSuspended,
  isAdministrator: Boolean(isAdministrator),
  roleIds: typeof roleIds === 'string' ? JSON.parse(roleIds) : roleIds,
});

/** Reads in one statement everything that decides if a subject token can be created for a user. */
export const subjectById: BatchedRead<Subject> = {
  texts: textsFor({ tenant_id: '', id: '' }, (kind, valueFor) => ({
    columns: `${stateOn(kind)}, ${SETTINGS} as settings`,
    from: `users subject where subject.tenant_id = ${valueFor('tenant_id')} and subject.id = ${valueFor('id')}`,
  })),
  rowOf: ({ settings, ...found }: FoundState & Pick<Subject, 'settings'>) => ({ ...stateOf(found), settings }),
};
