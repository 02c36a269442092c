import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/management/index.ts';
import { databases } from '../support/databases.ts';
import { requestOf } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';

/** A little less than the largest body. */
const BYTES = 1_000_000;
const filled = (unit: string, rest = '') => unit.repeat(Math.floor(BYTES / unit.length)) + rest;
const listed = (item: (index: number) => unknown) => {
  const items: unknown[] = [];
  for (let bytes = 0; bytes < BYTES; bytes += JSON.stringify(items.at(-1)).length + 1) items.push(item(items.length));
  return items;
};

/** Values that are most expensive for checks that backtrack or compare. All are too long for any field. */
const ADDRESS_OF_DOTS = `a@${filled('a.', ' ')}`;
const WORDS = listed((index) => `e${index}`);
const WORST: Record<string, unknown[]> = {
  string: [ADDRESS_OF_DOTS, filled(' ', 'a')],
  array: [WORDS, listed((index) => ({ [`e${index}`]: index }))],
};
const NUMBERS = listed(() => 1);

type Json = Record<string, unknown>;
const schemaOf = (route: string) => operations.find((operation) => operation.route === route)?.body as Json | undefined;

describe.each(databases)('a body of 1 MB on %s', (kind) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await buildStage(kind);
  });
  afterAll(() => stage.close());

  /** Expects 400. The service must answer another request at the same time; otherwise the test times out. */
  async function refused(route: string, body: unknown): Promise<void> {
    const [call] = requestOf(route, samples[route]?.(stage.world) ?? {});
    const [answer, health] = await Promise.all([
      stage.api.call(call, body),
      fetch(`${stage.service.localUrl}/healthz`),
    ]);
    expect(answer.status, `${route} ${JSON.stringify(answer.body).slice(0, 200)}`).toBe(400);
    expect(health.status).toBe(200);
  }

  it('does not block the service as the email address of POST /users', () =>
    refused('POST /users', { primaryEmail: ADDRESS_OF_DOTS }));

  it('does not block the service as the events of POST /hooks', () =>
    refused('POST /hooks', {
      name: 'Many',
      events: WORDS,
      config: { url: 'https://receiver.example/' },
    }));

  it('does not block the service as the factors of PATCH /sign-in-exp', () =>
    refused('PATCH /sign-in-exp', { mfa: { factors: WORDS, policy: 'Mandatory' } }));

  const routes = Object.keys(samples).filter((route) => schemaOf(route) !== undefined);

  it.each(routes)('does not block the service in any field of %s', async (route) => {
    const { properties = {} } = schemaOf(route) as { properties?: Record<string, Json> };
    const { body = {} } = samples[route]?.(stage.world) ?? {};
    await refused(route, WORDS);
    for (const [name, { type }] of Object.entries(properties))
      for (const worst of WORST[String(type)] ?? [NUMBERS]) await refused(route, { ...(body as Json), [name]: worst });
  });
});

/** Yields every schema in a schema. */
function* within(node: unknown): Generator<Json> {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) yield node as Json;
  for (const member of Object.values(node)) yield* within(member);
}

describe('request schemas', () => {
  const all = operations.flatMap(({ route, body, query, params }) =>
    [body, query, params].flatMap((schema) => [...within(schema)].map((node) => ({ route, node }))),
  );

  it('limit the length of every text with a pattern', () => {
    const open = all.filter(({ node }) => typeof node.pattern === 'string' && node.maxLength === undefined);
    expect(open).toEqual([]);
  });

  it('limit the length of every list, and name the type of unique items', () => {
    const lists = all.filter(({ node }) => node.type === 'array');
    const open = lists.filter(({ node }) => node.maxItems === undefined);
    expect(open).toEqual([]);
    const untyped = lists.filter(({ node }) => node.uniqueItems && (node.items as Json).type === undefined);
    expect(untyped).toEqual([]);
  });
});
