import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../src/management/index.ts';
import { type DatabaseKind, databases } from './support/databases.ts';
import { requestOf, type Sample } from './support/sample.ts';
import { samples } from './support/samples.ts';
import { buildStage } from './support/stage.ts';
import { addTenant, dumpTenant, loadTenant, renamed } from './support/tenant-rows.ts';

/**
 * Each operation is tried against two other tenants. The *foreign* tenant has the same rows under other ids: an id of
 * it must get the same response as an id that does not exist. The *twin* has the same rows under the same ids: writes
 * here must not change it, and reads here must not return its rows.
 */
const FOREIGN = 'foreign';
const TWIN = 'twin';

/**
 * It counts the calls of this test itself. `test/management/overview.test.ts` checks that it is limited to one tenant.
 */
const CHANGING = 'GET /overview';

/** Returns an id of the same form that does not exist. */
const unknownId = (id: string) => (id.startsWith('https:') ? 'https://unknown.example/api' : 'z'.repeat(id.length));
const foreignId = (id: string) => (id.startsWith('https:') ? 'https://foreign.example/api' : `${id.slice(0, -4)}0000`);

/** Builds the stage, then adds the two other tenants after every read has been recorded once. */
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
    [FOREIGN]: await dumpTenant(database, FOREIGN),
    [TWIN]: await dumpTenant(database, TWIN),
  });
  await addTenant(database, FOREIGN);
  await addTenant(database, TWIN);
  await loadTenant(database, FOREIGN, renamed(rows, new Map(ids.map((id) => [id, foreignId(id)]))));
  await loadTenant(database, TWIN, rows);

  return {
    ...stage,
    call,
    /** The response of each read before there was another tenant. */
    alone,
    others,
    othersBefore: await others(),
    /** Returns the ids of the world in a sample. */
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

  it.each(operations.map(({ route }) => route))('cannot be reached through %s', async (route) => {
    const { world, alone, othersBefore } = stage;
    const sample = samples[route]?.(world);
    if (!sample) throw new Error(`${route} has no sample in test/support/samples.ts`);

    for (const id of stage.idsIn(sample)) {
      const unknown = await stage.call(route, instead(sample, id, unknownId(id)));
      const foreign = await stage.call(route, instead(sample, id, foreignId(id)));
      expect(foreign).toEqual(unknown);
    }

    const answer = await stage.call(route, sample);
    expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 201, 202, 204]) });
    if (route === CHANGING) return;
    if (alone.has(route)) expect(answer.text).toBe(alone.get(route));
    else await stage.restore();
    expect(await stage.others()).toEqual(othersBefore);
  });
});
