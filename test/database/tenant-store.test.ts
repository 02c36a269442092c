import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { createMigrated, databases, type Database as TestDatabase } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';

const ROLE = { name: 'Support', description: 'Helps', type: 'User' } as const;

describe.each(databases)('the store of a tenant on %s', (kind) => {
  let place: TestDatabase;
  let database: Database;
  let store: TenantStore;

  beforeEach(async () => {
    place = await createMigrated(kind);
    const settings = { databaseUrl: place.url, dataDir: place.dataDir, poolSize: 2 };
    database = connect(settings);
    for (const tenantId of ['own', 'other']) {
      await addTenant(database, tenantId);
      await new TenantStore(database, tenantId).insert('roles', { ...ROLE, id: `of-${tenantId}` });
    }
    store = new TenantStore(database, 'own');
  });

  afterEach(async () => {
    await database.close();
    await place[Symbol.asyncDispose]();
  });

  const names = async () => (await database.reader('roles').orderBy('id')).map(({ id, name }) => `${id} ${name}`);

  it('runs no SQL of its own through a fragment', async () => {
    expect(() => store.fragment('select * from roles')).toThrow('cannot contain a query');
    expect(() => store.fragment('(SELECT count(*) from roles)')).toThrow('cannot contain a query');
    const fragment = store.fragment("'mine' as mark");
    const used = await store.from('roles').select('id', fragment);
    expect(used).toEqual([{ id: 'of-own', mark: 'mine' }]);
    // @ts-expect-error: it cannot be awaited
    expect(await fragment).toBe(fragment);
    // @ts-expect-error: it has no such function
    expect(() => fragment.stream()).toThrow(TypeError);
  });

  it('gives a statement neither a builder nor SQL that does not name the tenant', async () => {
    await store.write(['roles'], async (context) => {
      expect(Object.keys(context).toSorted()).toEqual(['call', 'kind', 'prepared', 'tenantId']);
      const rename = "update roles set name = 'Stolen'";
      await expect(context.prepared(rename, [])).rejects.toThrow('Not limited to a tenant');
      await expect(context.prepared(`${rename} where tenant_id = ?`, ['other'])).rejects.toThrow('Not limited');
      await context.prepared("update roles set name = 'Renamed' where tenant_id = ?", [context.tenantId]);
    });
    expect(await names()).toEqual(['of-other Support', 'of-own Renamed']);
  });

  it('refuses a key that is empty or lacks a value, and changes nothing', async () => {
    // @ts-expect-error: no condition
    await expect(store.removeAll('roles', {})).rejects.toThrow('not complete');
    // @ts-expect-error: no value
    await expect(store.remove('roles', { id: undefined })).rejects.toThrow('not complete');
    // @ts-expect-error: no condition
    await expect(store.change('roles', {}, { name: 'x' })).rejects.toThrow('not complete');
    // @ts-expect-error: no value for one column
    await expect(store.update('roles', { id: 'of-own', name: undefined }, { name: 'x' })).rejects.toThrow(
      'not complete',
    );
    // @ts-expect-error: no condition
    await expect(store.find('roles', {})).rejects.toThrow('not complete');
    expect(await names()).toEqual(['of-other Support', 'of-own Support']);
  });

  it('needs no key for a table with one row per tenant', async () => {
    await store.put('signInSettings', {}, { settings: { brandName: 'Own' } });
    expect(await store.find('signInSettings', {})).toMatchObject({ settings: { brandName: 'Own' } });
    expect(await new TenantStore(database, 'other').find('signInSettings', {})).toBeUndefined();
  });

  it('counts the rows of several queries at once', async () => {
    const [all, none] = [store.from('roles').select('id'), store.from('roles').where({ id: 'of-other' }).select('id')];
    expect(await store.countEach({ mine: all, others: none })).toEqual({ mine: 1, others: 0 });
  });
});
