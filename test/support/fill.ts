import type { Database } from '../../src/database/database.ts';

/** Tables that grow with use, and their columns as functions of the row number `n`. */
const ROWS: Record<string, Record<string, string>> = {
  users: { id: `'user' || n`, custom_data: `'{}'`, profile: `'{}'`, created_at: 'n', updated_at: 'n' },
  user_identities: {
    user_id: `'user' || n`,
    target: `'idp'`,
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
  user_roles: { user_id: `'user' || n`, role_id: '(select min(id) from roles)' },
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
    model: `'Session'`,
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
  revoked_tokens: { id: `'jti' || n`, expires_at: '2000000000000 + n', revoked_at: 'n' },
  events: { id: `'event' || n`, type: `'User.Created'`, body: `'{}'`, occurred_at: '2000000000000 + n' },
  deliveries: {
    id: `'delivery' || n`,
    event_id: `'event' || n`,
    hook_id: `'hook' || (n % 10)`,
    state: `case when n % 5 = 0 then 'dead' else 'waiting' end`,
    due_at: 'case when n % 5 = 0 then null else 2000000000000 + n end',
    attempts: '1',
    created_at: '2000000000000 + n',
  },
  attempts: {
    delivery_id: `'delivery' || n`,
    event_id: `'event' || n`,
    event_type: `'User.Created'`,
    hook_id: `'hook' || (n % 10)`,
    number: '1',
    trigger: `'schedule'`,
    started_at: '2000000000000 + n',
    duration_ms: '1',
    is_success: 'false',
  },
  replays: {
    id: `'replay' || n`,
    hook_id: `'hook' || (n % 10)`,
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

/**
 * Inserts `count` rows of tenant `default` into each table, over ten webhooks. PostgreSQL gets its statistics after
 * each table; otherwise it checks the next table's foreign keys with a plan for an empty table.
 */
export async function fill(database: Database, count: number): Promise<void> {
  const { kind } = database;
  const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)';
  const insert = async (table: string, columns: Record<string, string>, rows: number) => {
    const values = `${numbers} select 'default', ${Object.values(columns)} from numbers`;
    await database.write((db) => db.raw(`insert into ${table} (tenant_id, ${Object.keys(columns)}) ${values}`, [rows]));
    if (kind === 'postgres') await database.write((db) => db.raw(`analyze ${table}`));
  };
  const hook = { name: `'Hook'`, events: `'["User.Created"]'`, config: `'{"url":"http://127.0.0.1:1"}'` };
  const key = { signing_key_encrypted: `''`, old_signing_keys: `'[]'`, created_at: 'n' };
  await insert('hooks', { id: `'hook' || (n % 10)`, ...hook, ...key }, 10);
  for (const [table, columns] of Object.entries(ROWS)) await insert(table, columns, count);
}
