import { connect as connectTo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { unavailable } from '../../src/database/drivers/unavailable.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { performUnit } from '../../src/database/store/unit-of-work.ts';
import { createMigrated, databases, type Database as TestDatabase } from '../support/databases.ts';
import { spyOnStatements } from '../support/statements.ts';
import { addTenant } from '../support/tenant-rows.ts';

const NOW = 1_700_000_000_000;
const NEW_USER = { customData: {}, profile: {}, createdAt: NOW, updatedAt: NOW };

describe.each([true, false])('units of work on PostgreSQL, with a direct connection: %s', (isDirect) => {
  let place: TestDatabase;
  let database: Database;
  let own: TenantStore;
  let other: TenantStore;

  beforeEach(async () => {
    place = await createMigrated('postgres');
    database = connect({ databaseUrl: place.url, dataDir: place.dataDir, poolSize: 8, isDirect });
    for (const tenantId of ['own', 'other']) await addTenant(database, tenantId);
    own = new TenantStore(database, 'own');
    other = new TenantStore(database, 'other');
    for (const store of [own, other]) await store.insert('users', { ...NEW_USER, id: 'ann', username: 'ann' });
  });

  afterEach(async () => {
    await database.close();
    await place[Symbol.asyncDispose]();
  });

  const rename = (store: TenantStore, name: string) =>
    performUnit(store, (unit) => unit.update('users', { id: 'ann' }, { name }));
  const create = (store: TenantStore, id: string, username: string) =>
    performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id, username }));

  it('do not wait for a row that another transaction holds, except the unit that changes it', async () => {
    let waiting: Promise<unknown> | undefined;
    await own.transaction(async (transaction) => {
      await transaction.lock('users', { id: 'ann' });
      waiting = rename(own, 'waits');
      await rename(other, 'together'); // Ready at the same time, and so in the same statement.
      await rename(other, 'after');
      await transaction.update('users', { id: 'ann' }, { name: 'first', avatar: 'kept' });
    });
    await waiting;
    expect(await own.get('users', { id: 'ann' })).toMatchObject({ name: 'waits', avatar: 'kept' });
    expect(await other.get('users', { id: 'ann' })).toMatchObject({ name: 'after' });
  });

  it('do not wait for a value that another transaction may take, except the unit that uses it', async () => {
    let waiting: Promise<unknown> | undefined;
    await own.transaction(async (transaction) => {
      await transaction.insert('users', { ...NEW_USER, id: 'bob', username: 'bob' });
      waiting = create(own, 'bobby', 'bob').catch(({ code }) => code);
      await create(other, 'bob', 'bob');
      await create(other, 'carol', 'carol');
    });
    expect(await waiting).toBe('user.username_already_in_use');
  });
});

it.each(databases)('are written in few different statements, whatever columns they change, on %s', async (kind) => {
  await using place = await createMigrated(kind);
  const database = connect({ databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2, isDirect: true });
  await addTenant(database, 'own');
  const store = new TenantStore(database, 'own');
  await store.insert('users', { ...NEW_USER, id: 'ann' });
  const columns = [
    'username',
    'primaryEmail',
    'primaryPhone',
    'name',
    'avatar',
    'passwordHash',
    'lastSignInAt',
    'updatedAt',
  ];
  const newValue = (column: string, mask: number) => (column.endsWith('At') ? mask : `${column}-${mask}`);
  const texts = new Set<string>();
  const spy = spyOnStatements(kind, ({ sql }) => /^\s*(with change|insert|begin)/.test(sql) && texts.add(sql));
  const expected: Record<string, unknown> = {};
  for (let mask = 1; mask < 2 ** columns.length; mask++) {
    const chosen = columns.filter((_, bit) => mask & (1 << bit));
    const patch = Object.fromEntries(chosen.map((column) => [column, newValue(column, mask)]));
    await performUnit(store, (unit) => unit.update('users', { id: 'ann' }, patch));
    Object.assign(expected, patch);
  }
  spy.mockRestore();
  expect(await store.get('users', { id: 'ann' })).toMatchObject(expected);
  expect(texts.size).toBeLessThanOrEqual(151);
  expect([...texts].filter((sql) => sql.startsWith('begin'))).toEqual([]);
  await database.close();
});

/** Forwards connections to PostgreSQL. After `cut`, it ends the connection to which PostgreSQL answers next. */
async function startProxy(target: URL) {
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTo(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream);
    upstream.on('data', (data) => {
      if (isCut) client.destroy();
      else client.write(data);
      isCut = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as { port: number };
  return {
    url: Object.assign(new URL(target), { hostname: 'localhost', port }).href,
    cut() {
      isCut = true;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

it('is not written twice if the connection is lost before PostgreSQL answers', async () => {
  await using place = await createMigrated('postgres');
  await using proxy = await startProxy(new URL(place.url as string));
  const database = connect({ databaseUrl: proxy.url, dataDir: place.dataDir, poolSize: 2, isDirect: true });
  await addTenant(database, 'own');
  const store = new TenantStore(database, 'own');
  let runs = 0;
  const create = () =>
    performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id: `user-${++runs}`, username: null }));
  await create();
  proxy.cut();
  await expect(create()).rejects.toSatisfy((error) => unavailable(error) !== undefined);
  expect({ runs, users: await store.from('users').orderBy('id').select('id') }).toEqual({
    runs: 2,
    users: [{ id: 'user-1' }, { id: 'user-2' }],
  });
  await database.close();
});
