import type { DatabaseKind } from '../../database/statements/batched-read.ts';
import { insertFromRecords, recordsOf } from '../../database/statements/insert-many.ts';
import { sqliteProcedure } from '../../database/statements/sqlite-procedure.ts';
import type { Statement, StatementContext } from '../../database/statements/statement.ts';
import { type AuditRow, type ImpersonationRow, tables } from '../../database/tables/index.ts';

/** The rows that one exchange writes, and what the conditions need. */
export interface SpendRecord {
  /** Hash of the subject token. */
  tokenHash: string;
  /** The application that the actor token was issued to. */
  actorApplicationId: string | null;
  impersonation: Omit<ImpersonationRow, 'tenantId' | 'revokedAt' | 'revokedBy'>;
  audit: Omit<AuditRow, 'tenantId'>;
}

const IMPERSONATION = Object.keys(tables.impersonations.columns);
const AUDIT = Object.keys(tables.auditLog.columns);

/** The rows to insert, as parameters. `actorApplicationId` is not a column; on SQLite the conditions read it. */
function recordsIn(
  { kind, tenantId }: StatementContext,
  spends: readonly SpendRecord[],
): Record<'impersonations' | 'audits', string> {
  const impersonations = spends.map(({ impersonation, actorApplicationId }) => ({
    ...impersonation,
    actorApplicationId,
    tenantId,
  }));
  const audits = spends.map(({ audit }) => ({ ...audit, tenantId }));
  return {
    impersonations: recordsOf(kind, [...IMPERSONATION, 'actorApplicationId'], impersonations),
    audits: recordsOf(kind, AUDIT, audits),
  };
}

/**
 * One statement, and so one round trip and one transaction. `live` locks the users against change until the commit. If
 * another transaction changes one of these rows first, PostgreSQL waits for it and checks the same conditions again.
 *
 * Keys are compared with `any(array(…))`, which uses the index. Rejected: a join with the list. PostgreSQL estimates it
 * at 100 rows and reads the whole table. Rejected: finding tokens by id. Two indexes contain the id, and PostgreSQL
 * keeps the one it chose while the table was small; only one contains the hash.
 */
const SPEND = `
  with candidate as materialized (
    select * from json_to_recordset(?) as candidate(token_hash text, subject_id text, actor_id text, actor_application_id text)
  ), live as materialized (
    select id from users
    where tenant_id = ? and not is_suspended
      and id = any(array(select subject_id from candidate union select actor_id from candidate))
    order by id for share
  ), policy as materialized (
    select
      array(select json_array_elements_text(settings -> 'protectedRoleIds')) as guarded,
      array(select json_array_elements_text(settings -> 'allowedActorRoleIds')) as allowed,
      array(select json_array_elements_text(settings -> 'allowedActorApplicationIds')) as allowed_applications,
      coalesce((settings ->> 'requireActor')::boolean, false) or settings ->> 'actorMaxAge' is not null
        or settings ->> 'requiredAcr' is not null or json_array_length(settings -> 'allowedActorRoleIds') > 0
        or json_array_length(settings -> 'allowedActorApplicationIds') > 0 as wants_actor
    from configs where tenant_id = ? and key = 'impersonation'
  ), forbidden as materialized (
    select token_hash from candidate cross join policy
    where actor_id is null and wants_actor
      or exists (
        select 1 from user_roles
        where tenant_id = ? and user_id = candidate.subject_id and role_id = any(guarded)
      )
      or actor_id is not null and cardinality(allowed) > 0 and not exists (
        select 1 from user_roles
        where tenant_id = ? and user_id = candidate.actor_id and role_id = any(allowed)
      )
      or actor_id is not null and cardinality(allowed_applications) > 0
        and not coalesce(actor_application_id = any(allowed_applications), false)
    union all
    select token_hash from candidate
    where exists (select 1 from administrators where tenant_id = ? and user_id = candidate.subject_id)
      and coalesce((
        select (settings ->> 'protectAdministrators')::boolean from configs where tenant_id = ? and key = 'impersonation'
      ), true)
  ), spent as (
    update subject_tokens set spent_at = ?
    where tenant_id = ? and spent_at is null and revoked_at is null and expires_at > ?
      and token_hash = any(array(
        select token_hash from candidate
        where subject_id in (select id from live) and (actor_id is null or actor_id in (select id from live))
          and token_hash not in (select token_hash from forbidden)
      ))
    returning id
  ), begun as (
    ${insertFromRecords('postgres', 'impersonations', IMPERSONATION)} where record.subject_token_id in (select id from spent)
  ), recorded as (
    ${insertFromRecords('postgres', 'auditLog', AUDIT)} where record.payload ->> 'subjectTokenId' in (select id from spent)
  )
  select id from spent`;

const isLive = (id: string) =>
  `exists (select 1 from users where tenant_id = new.tenant_id and id = value ->> '${id}' and not is_suspended)`;

/** SQL: true if the user in the record's column `who` has one of the roles in this list of the policy. */
const holdsOneOf = (roles: string, who: string) => `exists (
  select 1 from user_roles held join json_each(configs.settings, '$.${roles}') role on role.value = held.role_id
  where held.tenant_id = new.tenant_id and held.user_id = record.value ->> '${who}')`;

const isLimited = (list: string) => `coalesce(json_array_length(configs.settings, '$.${list}'), 0) > 0`;
const ROLES_LIMITED = isLimited('allowedActorRoleIds');
const APPLICATIONS_LIMITED = isLimited('allowedActorApplicationIds');

/** SQL: true for an administrator whom the policy protects, which is the default. */
const IS_PROTECTED_ADMINISTRATOR = `exists (
    select 1 from administrators where tenant_id = new.tenant_id and user_id = record.value ->> 'subject_id'
  ) and coalesce((
    select settings ->> '$.protectAdministrators' from configs where tenant_id = new.tenant_id and key = 'impersonation'
  ), 1)`;

/** SQL: true if the current policy forbids the exchange. Without a policy row, only administrators are protected. */
const IS_FORBIDDEN = `(${IS_PROTECTED_ADMINISTRATOR} or exists (
  select 1 from configs where tenant_id = new.tenant_id and key = 'impersonation' and (
    ${holdsOneOf('protectedRoleIds', 'subject_id')}
    or record.value ->> 'actor_id' is null and (
      coalesce(configs.settings ->> '$.requireActor', 0) or configs.settings ->> '$.actorMaxAge' is not null
      or configs.settings ->> '$.requiredAcr' is not null
      or ${ROLES_LIMITED} or ${APPLICATIONS_LIMITED}
    )
    or record.value ->> 'actor_id' is not null and (
      ${ROLES_LIMITED} and not ${holdsOneOf('allowedActorRoleIds', 'actor_id')}
      or ${APPLICATIONS_LIMITED} and not exists (
        select 1 from json_each(configs.settings, '$.allowedActorApplicationIds') allowed
        where allowed.value = record.value ->> 'actor_application_id'
      )
    )
  )))`;

/** SQL: the inserted impersonations of this batch. @param spend name of the view's row; `new` in its trigger */
const begunOf = (spend: string) =>
  `impersonations where tenant_id = ${spend}.tenant_id
    and id in (select value ->> 'id' from json_each(${spend}.impersonations))`;

/** Nothing changes between the statements, so the tokens to mark spent are those of the inserted impersonations. */
const spendProcedure = sqliteProcedure(
  'spend',
  ['tenant_id', 'at', 'impersonations', 'audits'],
  [
    `${insertFromRecords('sqlite', 'impersonations', IMPERSONATION, 'new.impersonations')}
    where exists (
      select 1 from subject_tokens
      where tenant_id = new.tenant_id and id = value ->> 'subject_token_id'
        and spent_at is null and revoked_at is null and expires_at > new.at
    ) and ${isLive('subject_id')} and (value ->> 'actor_id' is null or ${isLive('actor_id')}) and not ${IS_FORBIDDEN}`,
    `update subject_tokens set spent_at = new.at
    where tenant_id = new.tenant_id and id in (select subject_token_id from ${begunOf('new')})`,
    `${insertFromRecords('sqlite', 'auditLog', AUDIT, 'new.audits')}
    where value ->> 'payload' ->> 'impersonationId' in (select id from ${begunOf('new')})`,
  ],
  `(select json_group_array(subject_token_id) from ${begunOf('spend')})`,
);

type Spend = (context: StatementContext, spends: readonly SpendRecord[], now: number) => Promise<string[]>;

const spend: Record<DatabaseKind, Spend> = {
  async postgres(context, spends, now) {
    const candidates = spends.map(({ tokenHash, actorApplicationId, impersonation: { subjectId, actorId } }) => ({
      token_hash: tokenHash,
      subject_id: subjectId,
      actor_id: actorId,
      actor_application_id: actorApplicationId,
    }));
    const { impersonations, audits } = recordsIn(context, spends);
    const { tenantId } = context;
    const limits = Array<string>(6).fill(tenantId);
    const bindings = [JSON.stringify(candidates), ...limits, now, tenantId, now, impersonations, audits];
    return (await context.prepared<{ id: string }>(SPEND, bindings)).map(({ id }) => id);
  },

  async sqlite(context, spends, now) {
    const values = { tenant_id: context.tenantId, at: now, ...recordsIn(context, spends) };
    return JSON.parse((await context.call(spendProcedure, values)) as string);
  },
};

/**
 * Marks subject tokens as spent and writes the impersonation and the audit row of each. A token is spent only if it is
 * unspent, unrevoked and unexpired, its subject and actor exist and are not suspended, and the current policy allows it;
 * all of this may have changed while the claims script ran. The users cannot change until the commit, so a suspension
 * comes either before (and the spend is refused) or after (and it revokes the impersonation).
 *
 * @param spends of different subject tokens; the payload of each audit row has the ids of its subject token and its
 * impersonation
 * @returns the ids of the tokens that were spent, each for one caller only, ever
 */
export const spendSubjectTokens =
  (spends: readonly SpendRecord[], now: number): Statement<string[]> =>
  (context) =>
    spend[context.kind](context, spends, now);
