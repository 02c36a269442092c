import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { performUnit } from '../../src/database/store/unit-of-work.ts';
import { createMigrated, databases, type Database as TestDatabase } from '../support/databases.ts';
import { spyOnStatements } from '../support/statements.ts';
import { addTenant } from '../support/tenant-rows.ts';

const NOW = 1_700_000_000_000;
const NEW_USER = { customData: {}, profile: {}, createdAt: NOW, updatedAt: NOW };
const ENTRY = { key: 'Test', result: 'Success', payload: { is: 'noted' }, createdAt: NOW } as const;

describe.each(databases)('a unit of work on %s', (kind) => {
  let place: TestDatabase;
  let database: Database;
  let store: TenantStore;
  let other: TenantStore;

  beforeEach(async () => {
    place = await createMigrated(kind);
    database = connect({ databaseUrl: place.url, dataDir: place.dataDir, poolSize: 3, isDirect: true });
    for (const tenantId of ['own', 'other']) await addTenant(database, tenantId);
    store = new TenantStore(database, 'own');
    other = new TenantStore(database, 'other');
    await store.add('users', [{ ...NEW_USER, id: 'ann', username: 'ann', customData: { plan: 'gold' } }]);
  });

  afterEach(async () => {
    await database.close();
    await place[Symbol.asyncDispose]();
  });

  /** Creates a user and its audit row. */
  const create = (id: string, { username = id, entryId = `entry-${id}`, of = store } = {}) =>
    performUnit(of, async (unit) => {
      const user = await unit.insert('users', { ...NEW_USER, id, username });
      await unit.add('auditLog', [{ ...ENTRY, id: entryId, userId: user.id }]);
      return user;
    });

  /** Adds a member to Ann's custom data. */
  const merge = (member: string) =>
    performUnit(store, async (unit) => {
      const { customData } = await unit.lock('users', { id: 'ann' });
      return unit.update('users', { id: 'ann' }, { customData: { ...customData, [member]: true } });
    });

  const idsOf = async (table: 'users' | 'auditLog', of = store) =>
    (await of.from(table).orderBy('id').select('id')).map(({ id }) => id);
  const outcomes = async (works: Promise<unknown>[]) => (await Promise.allSettled(works)).map(({ status }) => status);

  /** Returns the writing statements that are sent during `work`. */
  async function writesDuring(work: () => Promise<unknown>): Promise<string[]> {
    const sent: string[] = [];
    const spy = spyOnStatements(
      kind,
      ({ sql }) => /\b(insert|update|delete|begin)\b/.test(sql ?? '') && sent.push(sql),
    );
    await work().finally(() => spy.mockRestore());
    return sent.filter((sql) => !sql.startsWith('create temp'));
  }

  it('is written in one statement, together with those that wait with it', async () => {
    await create('warm-up');
    expect(await writesDuring(() => create('alone'))).toHaveLength(1);
    const ids = Array.from({ length: 16 }, (_, index) => `user-${index + 10}`);
    const sent = await writesDuring(() =>
      Promise.all(ids.map((id) => create(id, id.endsWith('5') ? { of: other } : {}))),
    );
    expect(sent.length).toBeLessThanOrEqual(3);
    expect(await idsOf('users')).toEqual(['alone', 'ann', ...ids.filter((id) => !id.endsWith('5')), 'warm-up']);
    expect(await idsOf('users', other)).toEqual(['user-15', 'user-25']);
    expect(await idsOf('auditLog', other)).toEqual(['entry-user-15', 'entry-user-25']);
  });

  it('returns the row as the database has it', async () => {
    const fields = {
      ...NEW_USER,
      id: 'odd',
      name: '\u{1F984} "q" \\ \n',
      customData: { list: [1, null, { a: true }], x: '1.50' },
    };
    const inserted = await performUnit(store, (unit) => unit.insert('users', fields));
    expect(inserted).toEqual(await store.get('users', { id: 'odd' }));
    const patch = {
      isSuspended: true,
      lastSignInAt: NOW + 1,
      name: null,
      customData: { empty: {}, nested: { text: "it's" } },
    };
    const updated = await performUnit(store, (unit) =>
      unit.update('users', { id: 'odd' }, { ...patch, avatar: undefined }),
    );
    expect(updated).toEqual(await store.get('users', { id: 'odd' }));
    expect(updated).toMatchObject({ ...patch, avatar: null });
    const hook = { id: 'hook', name: 'Hook', events: [], config: { url: 'https://a.example' }, createdAt: NOW };
    const secrets = { signingKeyEncrypted: 'sealed', oldSigningKeys: [] };
    const inserted2 = await performUnit(store, (unit) => unit.insert('hooks', { ...hook, ...secrets }));
    expect(inserted2).toEqual(await store.get('hooks', { id: 'hook' }));
  });

  it('fails alone, with its own error, and writes nothing', async () => {
    const first = create('user-1');
    const taken = create('second-ann', { username: 'ann' });
    const sameEntry = create('same-entry', { entryId: 'entry-user-1' });
    const works = [first, taken, create('user-2'), sameEntry, create('user-3', { of: other })];
    expect(await outcomes(works)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(taken).rejects.toMatchObject({ code: 'user.username_already_in_use' });
    expect(await idsOf('users')).toEqual(['ann', 'user-1', 'user-2']);
    expect(await idsOf('auditLog')).toEqual(['entry-user-1', 'entry-user-2']);
    expect(await idsOf('users', other)).toEqual(['user-3']);
  });

  it('loses no change of a row that several change at the same time', async () => {
    const members = Array.from({ length: 12 }, (_, index) => `member${index}`);
    await Promise.all(members.map(merge));
    const { customData } = await store.get('users', { id: 'ann' });
    expect(Object.keys(customData).sort()).toEqual(['plan', ...members].sort());
  });

  it('is repeated in a transaction if a row has changed since it was read', async () => {
    let runs = 0;
    const renamed = await performUnit(store, async (unit) => {
      runs += 1;
      const { name } = await unit.get('users', { id: 'ann' });
      if (runs === 1) await store.update('users', { id: 'ann' }, { name: 'Ann', updatedAt: NOW + 1 });
      return unit.update('users', { id: 'ann' }, { name: `${name} B.` });
    });
    expect({ runs, name: renamed.name }).toEqual({ runs: 2, name: 'Ann B.' });
    expect(await store.get('users', { id: 'ann' })).toEqual(renamed);
  });

  it('answers 404 for a row that was removed after it was read, and writes nothing', async () => {
    let runs = 0;
    const work = performUnit(store, async (unit) => {
      await unit.remove('users', { id: 'ann' });
      await unit.add('auditLog', [{ ...ENTRY, id: 'entry' }]);
      runs += 1;
      if (runs === 1) await store.remove('users', { id: 'ann' });
    });
    await expect(work).rejects.toMatchObject({ code: 'entity.not_found' });
    expect(await idsOf('auditLog')).toEqual([]);
  });

  it('adds only missing rows, also if another caller adds one of them first', async () => {
    for (const id of ['r1', 'r2']) await store.insert('roles', { id, name: id, description: '', type: 'User' });
    const add = (roleIds: string[], before = async () => {}) =>
      performUnit(store, async (unit) => {
        const rows = roleIds.map((roleId) => ({ userId: 'ann', roleId }));
        const added = await unit.addMissing('userRoles', rows);
        await before();
        return added.map(({ roleId }) => roleId);
      });
    expect(await add(['r1'])).toEqual(['r1']);
    expect(await add(['r1', 'r2'], async () => void (await add(['r2'])))).toEqual([]);
    await expect(add(['none'])).rejects.toMatchObject({ code: 'entity.relation_foreign_key_not_found' });
  });

  it.each<[string, (unit: TenantStore) => Promise<unknown>]>([
    [
      'a read of what was written',
      async (unit) => {
        await unit.insert('users', { ...NEW_USER, id: 'bob' });
        return unit.find('users', { id: 'bob' });
      },
    ],
    [
      'a query that is built before a write and runs after it',
      async (unit) => {
        const users = unit.from('users').where({ id: 'bob' });
        await unit.insert('users', { ...NEW_USER, id: 'bob' });
        return users;
      },
    ],
    [
      'a lock on a row that it does not change',
      async (unit) => {
        await unit.lock('users', { id: 'ann' });
        await unit.insert('users', { ...NEW_USER, id: 'bob' });
        return 'bob';
      },
    ],
    [
      'a locking query',
      async (unit) => {
        await unit.from('users').where({ id: 'ann' }).forUpdate();
        await unit.insert('users', { ...NEW_USER, id: 'bob' });
        return 'bob';
      },
    ],
    [
      'a removal by a condition',
      async (unit) => {
        await unit.insert('users', { ...NEW_USER, id: 'bob' });
        return `bob ${await unit.removeWhere('users', (user) => user.where({ id: 'ann' }))}`;
      },
    ],
    [
      'an update that does not name the primary key',
      async (unit) => {
        await unit.update('users', { username: 'ann' }, { username: 'bob' });
        return 'bob';
      },
    ],
  ])('becomes a transaction for %s', async (_, work) => {
    let stores = 0;
    const result = await performUnit(store, (unit) => {
      stores += 1;
      return work(unit).catch((error) => (stores === 1 ? undefined : Promise.reject(error)));
    });
    expect(stores).toBe(2);
    expect(JSON.stringify(result)).toContain('bob');
    expect(JSON.stringify(await store.from('users').select('id', 'username'))).toContain('bob');
  });

  it('writes an event with a delivery for each webhook of its tenant, and announces only those tenants', async () => {
    const announced: string[] = [];
    database.commits.listen((tenantId, written) => written.has('deliveries') && announced.push(tenantId));
    const hook = { name: 'Hook', events: ['User.Created'], config: { url: 'https://a.example' }, createdAt: NOW };
    const keys = { signingKeyEncrypted: 'sealed', oldSigningKeys: [] };
    for (const id of ['h1', 'h2']) await store.insert('hooks', { ...hook, ...keys, id });
    const emit = (of: TenantStore, id: string, type: string) =>
      performUnit(of, async (unit) => {
        await unit.addEvent({ id, type, body: '{}', occurredAt: NOW });
        await unit.add('auditLog', [{ ...ENTRY, id }]);
      });
    await Promise.all([emit(store, 'event-1', 'User.Created'), emit(other, 'event-2', 'User.Created')]);
    await emit(store, 'event-3', 'User.Deleted');
    const deliveries = await store.from('deliveries').orderBy('hookId').select('eventId', 'hookId', 'state', 'dueAt');
    const delivery = { eventId: 'event-1', state: 'waiting', dueAt: NOW };
    expect(deliveries).toEqual([
      { ...delivery, hookId: 'h1' },
      { ...delivery, hookId: 'h2' },
    ]);
    expect(new Set(announced)).toEqual(new Set(['own']));
  });

  it('is part of a transaction that has begun', async () => {
    const work = store.transaction(async (store) => {
      await performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id: 'bob' }));
      expect(await store.find('users', { id: 'bob' })).toBeDefined();
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await idsOf('users')).toEqual(['ann']);
  });
});
