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

describe.each(databases)('units of work of several tenants on %s', (kind) => {
  let place: TestDatabase;
  let database: Database;
  let own: TenantStore;
  let other: TenantStore;

  beforeEach(async () => {
    place = await createMigrated(kind);
    database = connect({ databaseUrl: place.url, dataDir: place.dataDir, poolSize: 3, isDirect: true });
    for (const tenantId of ['own', 'other']) await addTenant(database, tenantId);
    own = new TenantStore(database, 'own');
    other = new TenantStore(database, 'other');
    for (const store of [own, other]) await store.insert('users', { ...NEW_USER, id: 'ann', username: store.tenantId });
  });

  afterEach(async () => {
    await database.close();
    await place[Symbol.asyncDispose]();
  });

  const rows = async () =>
    (await database.reader('users').orderBy(['tenantId', 'id'])).map(
      ({ tenantId, id, username, name }) => `${tenantId} ${id} ${username} ${name}`,
    );

  it('keep their rows, errors and results apart, although their keys are equal', async () => {
    const work = (store: TenantStore, name: string, taken: string) => [
      performUnit(store, (unit) => unit.update('users', { id: 'ann' }, { name })),
      performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id: 'bob', username: `${taken}-bob`, name })),
      performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id: 'carol', username: taken, name })),
    ];
    const results = await Promise.allSettled([...work(own, 'Own', 'own'), ...work(other, 'Other', 'own')]);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value.tenantId : result.reason.code)),
    ).toEqual(['own', 'own', 'user.username_already_in_use', 'other', 'other', 'other']);
    expect(await rows()).toEqual([
      'other ann other Other',
      'other bob own-bob Other',
      'other carol own Other',
      'own ann own Own',
      'own bob own-bob Own',
    ]);
  });

  it('are written apart from those of a tenant whose unit was refused', async () => {
    const create = (store: TenantStore, id: string, username = id) =>
      performUnit(store, (unit) => unit.insert('users', { ...NEW_USER, id, username }));
    const refused = () => create(other, 'bob', 'other').catch(({ code }) => code);
    await Promise.all([create(own, 'bob'), refused()]);
    let attempts = 0;
    const spy = spyOnStatements(kind, ({ bindings }) => {
      if (JSON.stringify(bindings ?? []).includes('carol')) attempts += 1;
    });
    const results = await Promise.all([create(own, 'carol'), refused()]).finally(() => spy.mockRestore());
    expect(results).toMatchObject([{ id: 'carol' }, 'user.username_already_in_use']);
    expect(attempts).toBe(1);
  });

  it('move no row to another tenant, and change no column that the table does not have', async () => {
    await own.insert('users', { ...NEW_USER, id: 'dan' });
    const patch = (fields: object) => performUnit(own, (unit) => unit.update('users', { id: 'dan' }, fields));
    await patch({ name: 'Own', tenantId: 'other' });
    await expect(patch({ tenantId: 'other' })).rejects.toMatchObject({ code: 'entity.invalid_input' });
    await expect(patch({ "name = 'Stolen', avatar": 'x' })).rejects.toThrow('no column');
    expect(await rows()).toEqual(['other ann other null', 'own ann own null', 'own dan null Own']);
  });
});
