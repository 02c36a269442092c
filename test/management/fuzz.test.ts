import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { requestOf, type Sample } from '../support/sample.ts';
import { samples } from '../support/samples.ts';
import { buildStage, type Stage } from '../support/stage.ts';

interface Described {
  parameters?: { name: string; in: 'path' | 'query' }[];
  responses: Record<string, unknown>;
}

const LONG = 'x'.repeat(70_000);
/** Text that some layer could interpret as code, a pattern or a path. */
const HOSTILE = [
  '',
  LONG,
  '\u0000',
  'a\u0000b',
  '\ud800',
  "'; drop table users; --",
  '" or ""="',
  '%',
  '%_\\',
  '\\',
  '*?[',
  '../../etc/passwd',
  '{{7*7}}',
  '__proto__',
  'constructor',
  '\r\nX-Injected: 1',
  '𝒳'.repeat(200),
];
const OTHER_TYPES = [null, true, -1, 1e308, 3.5, [], {}, [null], { a: 1 }];

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

type Json = Record<string, unknown>;

/** Yields copies of the body, each with one of its values replaced, at any depth. */
function* replaced(body: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (body === null || typeof body !== 'object') return;
  for (const name of Object.keys(body)) {
    for (const inner of replaced((body as Json)[name], by)) {
      const copy = structuredClone(body) as Json;
      copy[name] = inner;
      yield copy;
    }
  }
}

function* broken({ body }: Sample): Generator<unknown> {
  for (const value of [...HOSTILE, ...OTHER_TYPES, deep(60), deep(3_000)]) yield* replaced(body, value);
  if (body !== null && typeof body === 'object') {
    yield { ...body, unknownMember: 1 };
    yield { ...body, tenantId: 'default' };
    yield JSON.parse(`{"__proto__": {"isAdmin": true}, ${JSON.stringify(body).slice(1)}`.replace(', }', '}'));
    for (const name of Object.keys(body))
      yield Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
  }
}

describe.each(databases)('broken input on %s', (kind) => {
  let stage: Stage;
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, read where it is needed.
  let document: any;
  let hasChanged = false;
  beforeAll(async () => {
    stage = await buildStage(kind);
    document = (await stage.api.call('GET /openapi.json')).body;
  });
  afterAll(() => stage.close());

  /** Restores the tenant if a call was accepted that can change something. Refused calls change no configuration. */
  async function restore(): Promise<void> {
    if (hasChanged) await stage.restore();
    hasChanged = false;
  }

  /** Sends a call and expects a status that the OpenAPI document names for it. */
  async function documented(route: string, sample: Sample): Promise<void> {
    const [method = '', path = ''] = route.split(' ');
    const { responses }: Described = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
    const [call, body] = requestOf(route, sample);
    const answer = await stage.api.call(call, body);
    hasChanged ||= method !== 'GET' && answer.status < 400;
    if (Object.hasOwn(responses, answer.status)) return;
    const description = `${call.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 300)}: ${JSON.stringify(answer.body)?.slice(0, 300)}`;
    expect(Object.keys(responses), description).toContain(String(answer.status));
  }

  const routes = Object.keys(samples);

  it.each(routes.filter((route) => !route.startsWith('GET')))(
    'in the body of %s gets a documented response',
    async (route) => {
      const sample = samples[route]?.(stage.world) ?? {};
      for (const body of broken(sample)) await documented(route, { ...sample, body });
      await restore();
    },
  );

  it.each(routes)('in path and query of %s gets a documented response', async (route) => {
    const sample = samples[route]?.(stage.world) ?? {};
    for (const text of HOSTILE) {
      if (text === LONG || text === '') continue;
      for (const name of Object.keys(sample.params ?? {}))
        if (text.isWellFormed()) await documented(route, { ...sample, params: { ...sample.params, [name]: text } });
      const [method = '', path = ''] = route.split(' ');
      const { parameters = [] }: Described = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
      for (const { name } of parameters.filter((parameter) => parameter.in === 'query'))
        await documented(route, { ...sample, query: { ...sample.query, [name]: text } });
    }
    await restore();
  });
});
