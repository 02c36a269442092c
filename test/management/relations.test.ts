import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/management/index.ts';
import { databases } from '../support/databases.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';

const UNKNOWN = 'zzzzzzzzzzzz';
const CODE = 'entity.relation_foreign_key_not_found';

/** Operations whose body refers to other resources, with the fields that do. */
const referring = operations.flatMap(({ route, errors = [], body }) => {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, unknown> };
  const members = Object.keys(properties).filter((name) => /Ids?$/.test(name));
  return errors.flat().includes(CODE) ? members.map((member) => ({ route, member })) : [];
});

describe.each(databases)('an unknown reference on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());

  it.each(referring)('is named in the error: $member of $route', async ({ route, member }) => {
    const sample = samples[route]?.(stage.world) ?? {};
    const body = { ...(sample.body as object), [member]: member.endsWith('s') ? [UNKNOWN] : UNKNOWN };
    const answer = await stage.api.call(...requestOf(route, { ...sample, body }));
    // Membership is checked first.
    if (answer.body.code === 'organization.require_membership') return;
    expect(answer.body).toMatchObject({
      code: CODE,
      data: { member },
      message: expect.stringContaining(member),
      details: `body.${member}: does not exist in this tenant`,
    });
    await stage.restore();
  });
});
