import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import express from 'express';
import knex, { type Knex } from 'knex';
import pg from 'pg';

/**
 * A minimal server for our user tables: Express, Knex, and the SQL that the Management API sends for the same requests.
 * It checks no token, validates nothing and has one tenant.
 */
const { PORT, DATABASE_URL, DATA_DIR = '' } = process.env;
const TENANT = 'default';
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const PRAGMAS =
  'pragma journal_mode = WAL; pragma synchronous = FULL; pragma foreign_keys = ON; pragma busy_timeout = 5000;';
const sqlite = (max: number): Knex =>
  knex({
    client: 'sqlite3',
    connection: { filename: join(DATA_DIR, 'understudy.db') },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max,
      afterCreate: (connection: { exec(sql: string, done: () => void): void }, done: () => void) =>
        connection.exec(PRAGMAS, done),
    },
  });
const postgres = (): Knex => knex({ client: 'pg', connection: DATABASE_URL ?? '', pool: { min: 0, max: 10 } });
const writer = DATABASE_URL ? postgres() : sqlite(1);
const reader = DATABASE_URL ? writer : sqlite(3);

const newId = () => randomBytes(15).toString('hex').slice(0, 21);
const parsed = (json: unknown) => (typeof json === 'string' ? JSON.parse(json) : json);

type Row = Record<string, unknown>;

function viewOf({ password_hash: passwordHash, ...row }: Row, linked: Row[]) {
  return {
    tenantId: row.tenant_id,
    id: row.id,
    username: row.username,
    primaryEmail: row.primary_email,
    primaryPhone: row.primary_phone,
    name: row.name,
    avatar: row.avatar,
    customData: parsed(row.custom_data),
    identities: Object.fromEntries(
      linked.map(({ target, external_id: userId, details }) => [target, { userId, details }]),
    ),
    lastSignInAt: row.last_sign_in_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    profile: parsed(row.profile),
    applicationId: row.application_id,
    isSuspended: Boolean(row.is_suspended),
    hasPassword: passwordHash !== null,
  };
}

const owned = (db: Knex, table: string) => db.from(db(table).where({ tenant_id: TENANT }).as(table));

const app = express().disable('x-powered-by').disable('etag');

app.get('/readyz', (_request, response) => void response.end());

app.get('/api/users/:id', async (request, response) => {
  const { id } = request.params;
  const row = await reader('users').where({ tenant_id: TENANT, id }).first();
  const linked = await owned(reader, 'user_identities').where({ user_id: id });
  response.json(viewOf(row, linked));
});

app.get('/api/users', async (request, response) => {
  const { page, page_size: size } = request.query;
  const order = [
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ];
  const ids = owned(reader, 'users')
    .select('id')
    .orderBy(order)
    .limit(Number(size))
    .offset((Number(page) - 1) * Number(size))
    .as('page');
  const outer = order.map(({ column, order }) => ({ column: `users.${column}`, order }));
  const [rows, [counted]] = await Promise.all([
    owned(reader, 'users').join(ids, 'page.id', 'users.id').select('users.*').orderBy(outer),
    owned(reader, 'users').count({ total: '*' }),
  ]);
  const linked: Row[] = await owned(reader, 'user_identities').whereIn(
    'user_id',
    rows.map(({ id }: Row) => id as string),
  );
  response.set('Total-Number', String((counted as Row).total));
  response.json(
    rows.map((row: Row) =>
      viewOf(
        row,
        linked.filter(({ user_id: userId }) => userId === row.id),
      ),
    ),
  );
});

app.post('/api/users', express.json(), async (request, response) => {
  const { username, primaryEmail, name } = request.body;
  const now = Date.now();
  const own = { tenant_id: TENANT };
  const user = await writer.transaction(async (db) => {
    const [row] = await db('users')
      .insert({
        ...own,
        id: newId().slice(0, 12),
        username,
        primary_email: primaryEmail,
        name,
        custom_data: '{}',
        profile: '{}',
        is_suspended: false,
        created_at: now,
        updated_at: now,
      })
      .returning('*');
    await owned(db, 'roles').where({ type: 'User', is_default: true }).select('id');
    const view = viewOf(row, []);

    const hooks: Row[] = await owned(db, 'hooks').where({ enabled: true }).select('id', 'event', 'events');
    const listening = hooks.filter(({ events }) => parsed(events).includes('User.Created'));
    const eventId = newId();
    const body = JSON.stringify({
      event: 'User.Created',
      createdAt: new Date(now).toISOString(),
      ip: request.ip,
      path: '/users',
      method: 'POST',
      status: 200,
      params: {},
      matchedRoute: '/users',
      data: view,
    });
    await db('events').insert({ ...own, id: eventId, type: 'User.Created', body, occurred_at: now });
    const waiting = { state: 'waiting', due_at: now, attempts: 0, trigger: 'schedule', created_at: now };
    await db('deliveries').insert(
      listening.map(({ id }) => ({ ...own, ...waiting, id: newId(), event_id: eventId, hook_id: id })),
    );
    await db('audit_log').insert({
      ...own,
      id: newId(),
      key: 'Management.POST /users',
      result: 'Success',
      user_id: row.id,
      ip: request.ip,
      payload: '{}',
      created_at: now,
    });
    return view;
  });
  response.json(user);
});

app.listen(Number(PORT));
