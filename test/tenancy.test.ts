import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../src/management/index.ts';
import { type DatabaseKind, databases } from './support/databases.ts';
import { requestOf, type Sample } from './support/sample.ts';
import { samples } from './support/samples.ts';
import { buildStage } from './support/stage.ts';
import { addTenant, dumpTenant, loadTenant, renamed } from './support/tenant-rows.ts';

/**
 * Each operation is tried against two other tenants. The *stranger* holds the same things under other ids: an id
 * of theirs must be answered as one that nobody has. The *twin* holds the same things under the same ids: what is
 * done here must not touch them, and what is read here must not double.
 */
const STRANGER = 'stranger';
const TWIN = 'twin';

/** It counts the calls of this very test. That it is of one tenant, `test/management/overview.test.ts` shows. */
const MOVING = 'GET /overview';

/** Of the same form as `id`; nobody's. */
const nobodys = (id: string) => (id.startsWith('https:') ? 'https://nobody.example/api' : 'z'.repeat(id.length));
const strangers = (id: string) => (id.startsWith('https:') ? 'https://stranger.example/api' : `${id.slice(0, -4)}0000`);

/** The stage, and on it the two others, who came after everything was read once. */
async function buildTenants(kind: DatabaseKind) {
  const stage = await buildStage(kind);
  const { api, database, world, rows } = stage;
  const ids = Object.entries(world).flatMap(([name, id]) => (name === 'receiver' ? [] : [id]));

  const call = async (route: string, sample: Sample) => {
    const { status, body } = await api.call(...requestOf(route, sample));
    return { status, text: JSON.stringify(body) };
  };
  const alone = new Map<string, string>();
  for (const { route } of operations.filter(({ method }) => method === 'GET'))
    alone.set(route, (await call(route, samples[route]?.(world) ?? {})).text);

  const others = async () => ({
    [STRANGER]: await dumpTenant(database, STRANGER),
    [TWIN]: await dumpTenant(database, TWIN),
  });
  await addTenant(database, STRANGER);
  await addTenant(database, TWIN);
  await loadTenant(database, STRANGER, renamed(rows, new Map(ids.map((id) => [id, strangers(id)]))));
  await loadTenant(database, TWIN, rows);

  return {
    ...stage,
    call,
    /** What each read answered before there was anyone else. */
    alone,
    others,
    othersAtFirst: await others(),
    /** The ids of the world that a sample names. */
    idsIn: (sample: Sample) => ids.filter((id) => JSON.stringify(sample).includes(`"${id}"`)),
  };
}

const instead = (sample: Sample, id: string, other: string): Sample =>
  JSON.parse(JSON.stringify(sample).replaceAll(`"${id}"`, `"${other}"`));

describe.each(databases)('another tenant on %s', (kind) => {
  let stage: Awaited<ReturnType<typeof buildTenants>>;
  beforeAll(async () => {
    stage = await buildTenants(kind);
  });
  afterAll(() => stage.close());

  it.each(operations.map(({ route }) => route))('is out of reach of %s', async (route) => {
    const { world, alone, othersAtFirst } = stage;
    const sample = samples[route]?.(world);
    if (!sample) throw new Error(`${route} has no sample in test/support/samples.ts`);

    for (const id of stage.idsIn(sample)) {
      const unknown = await stage.call(route, instead(sample, id, nobodys(id)));
      const foreign = await stage.call(route, instead(sample, id, strangers(id)));
      expect(foreign).toEqual(unknown);
    }

    const answer = await stage.call(route, sample);
    expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 201, 202, 204]) });
    if (route === MOVING) return;
    if (alone.has(route)) expect(answer.text).toBe(alone.get(route));
    else await stage.restore();
    expect(await stage.others()).toEqual(othersAtFirst);
  });
});
