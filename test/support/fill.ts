import type { Client } from 'pg';

const HOOKS = 1_000;

/** Tables that grow with use, and their columns as functions of the row number `n`. */
const ROWS: Record<string, Record<string, string>> = {
  users: { id: `'user' || n`, custom_data: `'{}'`, profile: `'{}'`, created_at: 'n', updated_at: 'n' },
  user_identities: {
    user_id: `'user' || n`,
    target: `'google'`,
    external_id: `'e' || n`,
    details: `'{}'`,
    created_at: 'n',
  },
  user_factors: {
    id: `'factor' || n`,
    user_id: `'user' || n`,
    type: `'Totp'`,
    secret_encrypted: `''`,
    details: `'{}'`,
    created_at: 'n',
  },
  user_roles: { user_id: `'user' || n`, role_id: `'role' || (n % 50)` },
  organizations: {
    id: `'org' || n`,
    name: `'Org'`,
    custom_data: `'{}'`,
    color: `'{}'`,
    branding: `'{}'`,
    created_at: 'n',
  },
  organization_users: { organization_id: `'org' || n`, user_id: `'user' || n` },
  oidc_payloads: {
    model: `(array['Session', 'Grant', 'AccessToken', 'RefreshToken'])[1 + n % 4]`,
    id: `'p' || n`,
    payload_encrypted: `''`,
    account_id: `'user' || n`,
    client_id: `'client' || (n % 50)`,
    grant_id: `'g' || n`,
    uid: `'u' || n`,
    expires_at: '2000000000000 + n',
  },
  subject_tokens: {
    id: `'token' || n`,
    token_hash: `'hash' || n`,
    user_id: `'user' || n`,
    actor_id: `'user' || (n % 50)`,
    context: `'{}'`,
    creator_id: `'app'`,
    created_at: 'n',
    expires_at: '2000000000000 + n',
  },
  impersonations: {
    id: `'imp' || n`,
    subject_token_id: `'token' || n`,
    subject_id: `'user' || n`,
    actor_id: `'user' || (n % 50)`,
    application_id: `'app'`,
    scope: `''`,
    context: `'{}'`,
    issued_at: '2000000000000 + n',
    expires_at: '2000000000000 + n',
  },
  organization_user_roles: {
    organization_id: `'org' || n`,
    user_id: `'user' || n`,
    organization_role_id: `'role' || (n % 50)`,
  },
  issued_jwts: {
    id: `'jti' || n`,
    grant_id: `'g' || n`,
    account_id: `'user' || n`,
    client_id: `'client' || (n % 50)`,
    expires_at: '2000000000000 + n',
  },
  sign_in_progress: { id: `'p' || n`, version: '1', state_encrypted: `''`, expires_at: '2000000000000 + n' },
  verification_codes: { id: `'v' || n`, code_encrypted: `''`, attempts: '0', expires_at: '2000000000000 + n' },
  rate_limits: { key: `'k' || n`, points: '1', expires_at: '2000000000000 + n' },
  revoked_tokens: { id: `'jti' || n`, expires_at: '2000000000000 + n', revoked_at: 'n' },
  events: { id: `'event' || n`, type: `'User.Created'`, body: `'{}'`, occurred_at: '2000000000000 + n' },
  deliveries: {
    id: `'delivery' || n`,
    event_id: `'event' || n`,
    hook_id: `'hook' || (n % ${HOOKS})`,
    state: `case when n % 5 = 0 then 'dead' else 'waiting' end`,
    due_at: 'case when n % 5 = 0 then null else 2000000000000 + n end',
    attempts: '1',
    created_at: '2000000000000 + n',
  },
  attempts: {
    delivery_id: `'delivery' || n`,
    event_id: `'event' || n`,
    event_type: `'User.Created'`,
    hook_id: `'hook' || (n % ${HOOKS})`,
    number: '1',
    trigger: `'schedule'`,
    started_at: '2000000000000 + n',
    duration_ms: '1',
    is_success: 'false',
  },
  replays: {
    id: `'replay' || n`,
    hook_id: `'hook' || (n % ${HOOKS})`,
    filter: `'{}'`,
    count: '0',
    state: `'done'`,
    created_at: '2000000000000 + n',
  },
  script_runs: {
    id: `'run' || n`,
    token_type: `'client-credentials'`,
    number: 'n % 100',
    result: `'ok'`,
    wall_ms: '1',
    cpu_ms: '1',
    dropped_claims: `'[]'`,
    console: `'[]'`,
    created_at: '2000000000000 + n',
  },
  audit_log: {
    id: `'log' || n`,
    key: `'Key' || (n % 50)`,
    result: `'Success'`,
    application_id: `'app' || (n % 50)`,
    user_id: `'user' || n`,
    payload: `'{}'`,
    created_at: '2000000000000 + n',
  },
};

/** Tables whose number of rows is unlimited. */
export const GROWING = Object.keys(ROWS);

/** How many rows a large installation has in these tables. The others get `USUAL`. */
const COUNTS: Record<string, number> = { audit_log: 1_000_000 };
const USUAL = 100_000;
/** All numbers have the same length, so that ids ascend and the primary key is written in order. */
const FIRST = 10_000_000;

/**
 * Fills every growing table of tenant `default` on PostgreSQL, and collects the statistics that its planner uses. The
 * foreign keys are not checked, and the indexes are built after the rows, because both are faster.
 */
export async function fill(client: Client): Promise<void> {
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '256MB'`);
  await client.query('alter table audit_log set unlogged'); // The largest, to which no other refers.
  const insert = async (table: string, columns: Record<string, string>, count: number) => {
    const { rows: indexes } = await client.query(
      `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = $1::regclass and not exists (select 1 from pg_constraint where conindid = indexrelid)`,
      [table],
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const values = `select 'default', ${Object.values(columns)} from generate_series(${FIRST + 1}, ${FIRST + count}) as n`;
    await client.query(`insert into ${table} (tenant_id, ${Object.keys(columns)}) ${values}`);
    for (const { definition } of indexes) await client.query(definition);
    await client.query(`analyze ${table}`);
  };
  const hook = { name: `'Hook'`, events: `'["User.Created"]'`, config: `'{"url":"http://127.0.0.1:1"}'` };
  const key = { signing_key_encrypted: `''`, old_signing_keys: `'[]'`, created_at: 'n' };
  await insert('hooks', { id: `'hook' || (n % ${HOOKS})`, ...hook, ...key }, HOOKS);
  for (const [table, columns] of Object.entries(ROWS)) await insert(table, columns, COUNTS[table] ?? USUAL);
}
