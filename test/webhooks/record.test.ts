import { describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { recordEvent } from '../../src/events/record.ts';
import { databases } from '../support/databases.ts';
import { PollerHarness } from './poller-harness.ts';

const URL = 'http://127.0.0.1:1';

describe.each(databases)('an event on %s', (kind) => {
  it('is written with a delivery, each with its own id, for every webhook that subscribes to it', async () => {
    await using harness = await PollerHarness.open(kind);
    const listening = [await harness.hook(URL), await harness.hook(URL, { events: [], event: 'User.Created' })];
    await harness.hook(URL, { events: ['User.Created.Not', 'User'] });
    await harness.hook(URL, { enabled: false });
    await harness.announce(2, 'User.Created', 7);

    const rows = await harness.deliveries(() => true);
    expect(rows.map(({ hookId }) => hookId).toSorted()).toEqual([...listening, ...listening].toSorted());
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
    const fresh = { state: 'waiting', dueAt: 7, createdAt: 7, attempts: 0, trigger: 'schedule', leaseOwner: null };
    for (const row of rows) expect(row).toMatchObject({ id: expect.stringMatching(/^[0-9a-z]{21}$/), ...fresh });
  });

  it('reaches no webhook of another tenant', async () => {
    await using harness = await PollerHarness.open(kind);
    const tenant = { id: 'other', name: 'Other', isSuspended: false, settings: '{}', version: 0, createdAt: 0 };
    await harness.database.write((db) => db('tenants').insert(tenant));
    await harness.hook(URL);
    const other = new TenantStore(harness.database, 'other');
    await recordEvent(other, 'User.Created', {}, {}, 7);
    expect(await other.from('events')).toHaveLength(1);
    expect(await harness.database.reader('deliveries')).toEqual([]);
  });

  it('announces deliveries after the commit, if there are any', async () => {
    await using harness = await PollerHarness.open(kind);
    const announced: string[][] = [];
    harness.database.commits.listen((_, written) => announced.push([...written].toSorted()));
    await harness.announce();
    await harness.hook(URL);
    await harness.announce();
    expect(announced).toEqual([['events'], ['hooks'], ['deliveries', 'events']]);
  });
});

describe.each(databases.filter((kind) => kind === 'postgres'))('a webhook that is being deleted on %s', (kind) => {
  it('does not make a concurrent change fail', async () => {
    await using harness = await PollerHarness.open(kind);
    const [doomed, kept] = [await harness.hook(URL), await harness.hook(URL)];
    let announced: Promise<void> | undefined;
    await harness.store.transaction(async (store) => {
      await store.remove('hooks', { id: doomed });
      announced = harness.announce();
      const blocked = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(() => harness.database.reader.raw(blocked)).toHaveLength(1);
    });
    await announced;
    expect(await harness.deliveries(() => true)).toMatchObject([{ hookId: kept }]);
  });
});
