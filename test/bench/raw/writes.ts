import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import express, { type Request } from 'express';
import knex, { type Knex } from 'knex';
import pg from 'pg';

/**
 * A minimal server that writes the same rows as the Management API for the same requests: the row, its event and the
 * audit entry, in one transaction of plain SQL through Knex. It checks no token, validates nothing, reads nothing, and
 * has one tenant without webhooks.
 */
const { PORT, DATABASE_URL, DATA_DIR = '' } = process.env;
const TENANT = 'default';
const TOKEN_LIFETIME_MS = 600_000;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const PRAGMAS =
  'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma busy_timeout = 5000;';
const database = DATABASE_URL
  ? knex({ client: 'pg', connection: DATABASE_URL, pool: { min: 0, max: 10 } })
  : knex({
      client: 'sqlite3',
      connection: { filename: join(DATA_DIR, 'understudy.db') },
      useNullAsDefault: true,
      pool: {
        min: 1,
        max: 1,
        afterCreate: (connection: { exec(sql: string, done: () => void): void }, done: () => void) =>
          connection.exec(PRAGMAS, done),
      },
    });

type Row = Record<string, unknown>;

const newId = () => randomBytes(15).toString('hex').slice(0, 21);

/** Runs a statement, which PostgreSQL parses once per connection under this name. */
async function run(db: Knex, name: string, sql: string, values: Knex.Value[]): Promise<Row[]> {
  const result = await (DATABASE_URL ? db.raw(sql, values).options({ name }) : db.raw(sql, values));
  return DATABASE_URL ? result.rows : result;
}

const insert = (table: string, columns: string) =>
  `insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, '?')})`;
const USER = insert(
  'users',
  'tenant_id, id, username, primary_email, name, custom_data, profile, is_suspended, created_at, updated_at',
);
const TOKEN = insert(
  'subject_tokens',
  'tenant_id, id, token_hash, user_id, context, creator_id, created_at, expires_at',
);
const EVENT = insert('events', 'tenant_id, id, type, body, occurred_at');
const AUDIT = insert(
  'audit_log',
  'tenant_id, id, key, result, application_id, user_id, ip, request_id, payload, created_at',
);
const PATCH = 'update users set name = ?, updated_at = ? where tenant_id = ? and id = ? returning *';
const ROLE = `${insert('user_roles', 'tenant_id, user_id, role_id')} on conflict do nothing`;

async function writeEvent(db: Knex, type: string, route: string, request: Request, data: Row | undefined) {
  const now = Date.now();
  const [method, matchedRoute] = route.split(' ');
  const { ip, params } = request;
  const facts = { ip, path: request.path, method, status: 200, params, matchedRoute };
  const body = JSON.stringify({ event: type, createdAt: new Date(now).toISOString(), ...facts, data });
  await run(db, 'event', EVENT, [TENANT, newId(), type, body, now]);
}

async function writeAudit(db: Knex, route: string, request: Request, userId: string, details: Row) {
  const payload = JSON.stringify({ params: request.params, ...details });
  const who = ['application', userId, request.ip ?? null, newId()];
  await run(db, 'audit', AUDIT, [TENANT, newId(), `Management.${route}`, 'Success', ...who, payload, Date.now()]);
}

const app = express().disable('x-powered-by').disable('etag').use(express.json());

app.get('/readyz', (_request, response) => void response.end());

app.post('/api/users', async (request, response) => {
  const { username, primaryEmail, name } = request.body;
  const [id, now] = [newId().slice(0, 12), Date.now()];
  const user = await database.transaction(async (db) => {
    const values = [TENANT, id, username, primaryEmail, name, '{}', '{}', false, now, now];
    const [row] = await run(db, 'user', `${USER} returning *`, values);
    await writeEvent(db, 'User.Created', 'POST /users', request, row);
    await writeAudit(db, 'POST /users', request, id, { status: 200, id });
    return row;
  });
  response.json(user);
});

app.patch('/api/users/:userId', async (request, response) => {
  const { userId } = request.params;
  const user = await database.transaction(async (db) => {
    const [row] = await run(db, 'patch', PATCH, [request.body.name, Date.now(), TENANT, userId]);
    await writeEvent(db, 'User.Data.Updated', 'PATCH /users/:userId', request, row);
    await writeAudit(db, 'PATCH /users/:userId', request, userId, { status: 200 });
    return row;
  });
  response.json(user);
});

app.post('/api/users/:userId/roles', async (request, response) => {
  const { userId } = request.params;
  const { roleIds } = request.body;
  await database.transaction(async (db) => {
    for (const roleId of roleIds) await run(db, 'role', ROLE, [TENANT, userId, roleId]);
    await writeAudit(db, 'POST /users/:userId/roles', request, userId, { status: 201, addedRoleIds: roleIds });
  });
  response.status(201).json({ roleIds, addedRoleIds: roleIds });
});

app.post('/api/subject-tokens', async (request, response) => {
  const { userId, context } = request.body;
  const now = Date.now();
  const subjectToken = randomBytes(32).toString('base64url');
  await database.transaction(async (db) => {
    const values = [JSON.stringify(context), 'application', now, now + TOKEN_LIFETIME_MS];
    await run(db, 'token', TOKEN, [TENANT, newId(), subjectToken, userId, ...values]);
    await writeAudit(db, 'POST /subject-tokens', request, userId, { status: 201, ...context });
  });
  response.status(201).json({ subjectToken, expiresIn: TOKEN_LIFETIME_MS / 1_000 });
});

app.listen(Number(PORT));
