import { insertFromRecords, recordsOf } from '../../database/statements/insert-many.ts';
import { prepared } from '../../database/statements/prepared.ts';
import type { Statement, Target } from '../../database/statements/statement.ts';
import type { AuditRow, ImpersonationRow } from '../../database/tables/index.ts';

/** What one exchange writes. */
export interface Spend {
  /** Of the subject token. */
  tokenHash: string;
  /** The application that the actor's token was given to. */
  actorApplicationId: string | null;
  impersonation: Omit<ImpersonationRow, 'tenantId' | 'revokedAt' | 'revokedBy'>;
  audit: Omit<AuditRow, 'tenantId'>;
}

const IMPERSONATION = [
  'tenantId',
  'id',
  'subjectTokenId',
  'subjectId',
  'actorId',
  'applicationId',
  'resource',
  'organizationId',
  'scope',
  'context',
  'ip',
  'userAgent',
  'issuedAt',
  'expiresAt',
] as const satisfies (keyof ImpersonationRow)[];

const AUDIT = [
  'tenantId',
  'id',
  'key',
  'result',
  'applicationId',
  'userId',
  'actorId',
  'ip',
  'userAgent',
  'requestId',
  'payload',
  'createdAt',
] as const satisfies (keyof AuditRow)[];

/**
 * One statement, and so one round trip and one transaction. `live` locks the people against change until it commits; a
 * row that another transaction changed meanwhile is looked at again, after the wait, by the same conditions.
 *
 * Keys are compared with an array, for which the index is used: a join with the list, taken for a hundred rows whatever
 * it holds, reads the whole table. The hash, as one index alone holds it; of the two that hold the id, PostgreSQL takes
 * either for the better while the table is small, and stays with it.
 */
const POSTGRES = `
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

async function onPostgres({ db, tenantId }: Target, spends: readonly Spend[], now: number): Promise<string[]> {
  const rows = await prepared<{ id: string }>(db, POSTGRES, [
    candidatesOf(spends),
    tenantId,
    tenantId,
    tenantId,
    tenantId,
    tenantId,
    tenantId,
    now,
    tenantId,
    now,
    impersonationsOf('postgres', tenantId, spends),
    auditsOf('postgres', tenantId, spends),
  ]);
  return rows.map(({ id }) => id);
}

const isLive = (id: string) =>
  `exists (select 1 from users where tenant_id = new.tenant_id and id = value ->> '${id}' and not is_suspended)`;

/** True if the user whom a spend names as `who` holds one of these roles. */
const holdsOneOf = (roles: string, who: string) => `exists (
  select 1 from user_roles held join json_each(configs.settings, '$.${roles}') role on role.value = held.role_id
  where held.tenant_id = new.tenant_id and held.user_id = record.value ->> '${who}')`;

const isLimited = (list: string) => `coalesce(json_array_length(configs.settings, '$.${list}'), 0) > 0`;
const ROLES_LIMITED = isLimited('allowedActorRoleIds');
const APPLICATIONS_LIMITED = isLimited('allowedActorApplicationIds');

/** Members that a policy lacks have the defaults of `impersonation-policy.ts`: administrators are protected. */
const IS_PROTECTED_ADMINISTRATOR = `exists (
    select 1 from administrators where tenant_id = new.tenant_id and user_id = record.value ->> 'subject_id'
  ) and coalesce((
    select settings ->> '$.protectAdministrators' from configs where tenant_id = new.tenant_id and key = 'impersonation'
  ), 1)`;

/** The policy in force; without a row it protects administrators and forbids nothing else. */
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

/** Of the batch, those that were written. `spend`: the row of the view, `new` to its trigger. */
const begunOf = (spend: string) =>
  `impersonations where tenant_id = ${spend}.tenant_id
    and id in (select value ->> 'id' from json_each(${spend}.impersonations))`;

/**
 * For SQLite's writer alone: one insert into this view is the whole spend. It is one call into SQLite and commits by
 * itself, where a transaction of three statements takes five calls, each a hop to another thread and back. Nothing
 * changes between the statements of the trigger, so those that were begun are those to spend.
 */
export const SPEND_VIEW = `
  create temp view spend as select null as tenant_id, null as at, null as impersonations, null as audits;
  create temp trigger spend_all instead of insert on spend begin
    ${insertFromRecords('sqlite', 'impersonations', IMPERSONATION, 'new.impersonations')}
    where exists (
      select 1 from subject_tokens
      where tenant_id = new.tenant_id and id = value ->> 'subject_token_id'
        and spent_at is null and revoked_at is null and expires_at > new.at
    ) and ${isLive('subject_id')} and (value ->> 'actor_id' is null or ${isLive('actor_id')}) and not ${IS_FORBIDDEN};
    update subject_tokens set spent_at = new.at
    where tenant_id = new.tenant_id and id in (select subject_token_id from ${begunOf('new')});
    ${insertFromRecords('sqlite', 'auditLog', AUDIT, 'new.audits')}
    where value ->> 'payload' ->> 'impersonationId' in (select id from ${begunOf('new')});
  end;`;

const ON_SQLITE = `
  insert into spend (tenant_id, at, impersonations, audits) values (?, ?, ?, ?)
  returning (select json_group_array(subject_token_id) from ${begunOf('spend')}) as ids`;

async function onSqlite({ db, tenantId }: Target, spends: readonly Spend[], now: number): Promise<string[]> {
  const [row] = await prepared<{ ids: string }>(db, ON_SQLITE, [
    tenantId,
    now,
    impersonationsOf('sqlite', tenantId, spends),
    auditsOf('sqlite', tenantId, spends),
  ]);
  return JSON.parse(row?.ids ?? '[]');
}

const candidatesOf = (spends: readonly Spend[]): string =>
  JSON.stringify(
    spends.map(({ tokenHash, actorApplicationId, impersonation: { subjectId, actorId } }) => ({
      token_hash: tokenHash,
      subject_id: subjectId,
      actor_id: actorId,
      actor_application_id: actorApplicationId,
    })),
  );

const impersonationsOf = (kind: Target['kind'], tenantId: string, spends: readonly Spend[]): string =>
  recordsOf(
    kind,
    // Not a column: on SQLite the conditions read the same records.
    kind === 'sqlite' ? [...IMPERSONATION, 'actorApplicationId'] : IMPERSONATION,
    spends.map(({ impersonation, actorApplicationId }) => ({ ...impersonation, actorApplicationId, tenantId })),
  );

const auditsOf = (kind: Target['kind'], tenantId: string, spends: readonly Spend[]): string =>
  recordsOf(
    kind,
    AUDIT,
    spends.map(({ audit }) => ({ ...audit, tenantId })),
  );

/**
 * Marks subject tokens spent that are unspent, unrevoked and unexpired, whose subject and actor are there and not
 * suspended, and whom the policy of this moment admits (it, or they, may have changed while a script ran), and
 * writes the impersonation and the audit row of each. The people cannot change until the commit: a
 * suspension either comes first and is seen here, or comes after and finds the impersonation to end.
 *
 * @param spends of different subject tokens; the payload of an audit row names its own
 * @returns the ids of the tokens that were spent, each for one caller only, ever
 */
export const spendSubjectTokens =
  (spends: readonly Spend[], now: number): Statement<string[]> =>
  (target) =>
    target.kind === 'postgres' ? onPostgres(target, spends, now) : onSqlite(target, spends, now);
