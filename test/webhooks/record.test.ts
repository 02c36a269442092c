import { describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { recordEvent } from '../../src/events/record.ts';
import { databases } from '../support/databases.ts';
import { Stage } from './stage.ts';

const URL = 'http://127.0.0.1:1';

describe.each(databases)('an event on %s', (kind) => {
  it('is written with a delivery for each webhook that listens, under an id of its own', async () => {
    await using stage = await Stage.open(kind);
    const listening = [await stage.hook(URL), await stage.hook(URL, { events: [], event: 'User.Created' })];
    await stage.hook(URL, { events: ['User.Created.Not', 'User'] });
    await stage.hook(URL, { enabled: false });
    await stage.announce(2, 'User.Created', 7);

    const rows = await stage.deliveries(() => true);
    expect(rows.map(({ hookId }) => hookId).toSorted()).toEqual([...listening, ...listening].toSorted());
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
    const fresh = { state: 'waiting', dueAt: 7, createdAt: 7, attempts: 0, trigger: 'schedule', leaseOwner: null };
    for (const row of rows) expect(row).toMatchObject({ id: expect.stringMatching(/^[0-9a-z]{21}$/), ...fresh });
  });

  it('reaches no webhook of another tenant', async () => {
    await using stage = await Stage.open(kind);
    const tenant = { id: 'other', name: 'Other', isSuspended: false, settings: '{}', version: 0, createdAt: 0 };
    await stage.database.write((db) => db('tenants').insert(tenant));
    await stage.hook(URL);
    const other = new TenantStore(stage.database, 'other');
    await recordEvent(other, 'User.Created', {}, {}, 7);
    expect(await other.from('events')).toHaveLength(1);
    expect(await stage.database.reader('deliveries')).toEqual([]);
  });

  it('tells of deliveries after the commit, when there are any', async () => {
    await using stage = await Stage.open(kind);
    const told: string[][] = [];
    stage.database.commits.listen((_, written) => told.push([...written].toSorted()));
    await stage.announce();
    await stage.hook(URL);
    await stage.announce();
    expect(told).toEqual([['events'], ['hooks'], ['deliveries', 'events']]);
  });
});

describe.each(databases.filter((kind) => kind === 'postgres'))('on %s a webhook that is being deleted', (kind) => {
  it('fails nobody’s change', async () => {
    await using stage = await Stage.open(kind);
    const [doomed, kept] = [await stage.hook(URL), await stage.hook(URL)];
    let announced: Promise<void> | undefined;
    await stage.store.transaction(async (store) => {
      await store.remove('hooks', { id: doomed });
      announced = stage.announce();
      const blocked = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => stage.database.reader.raw(blocked)).toHaveLength(1);
    });
    await announced;
    expect(await stage.deliveries(() => true)).toMatchObject([{ hookId: kept }]);
  });
});
