import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../src/events/catalogue.ts';
import { openApiDocument } from '../../src/http/openapi/openapi.ts';
import { operations } from '../../src/management/index.ts';

interface Part {
  content?: Record<string, { schema: unknown; example?: unknown }>;
}
interface Described {
  operationId: string;
  requestBody?: Part;
  responses: Record<string, Part>;
}
interface Document {
  paths: Record<string, Record<string, Described>>;
  webhooks: object;
  components: object;
}

const document: Document = JSON.parse(JSON.stringify(openApiDocument(operations, '0.0.0')));
const described = Object.values(document.paths).flatMap((path) => Object.values(path));

describe('the OpenAPI document', () => {
  it('matches the snapshot, so that every change is deliberate', async () => {
    const lean = JSON.stringify(document, (name, value) => (/^examples?$/.test(name) ? undefined : value), 1);
    await expect(`${lean}\n`).toMatchFileSnapshot('openapi.snapshot.txt');
  });

  it('has a path for each operation and a webhook for each event', () => {
    const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(paths.toSorted()).toEqual(operations.map(({ route }) => route).toSorted());
    expect(Object.keys(document.webhooks)).toEqual(eventTypes);
  });

  it('gives every operation a unique id', () => {
    const ids = described.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'https://doc.example/', components: document.components });
    const shown = described.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) => {
        const content = part?.content?.['application/json'];
        return content?.example === undefined ? [] : [{ operationId, ...content }];
      }),
    );
    expect(shown.length).toBeGreaterThan(operations.length);
    for (const { operationId, schema, example } of shown) {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://doc.example/#/')));
      expect(validate(example), `${operationId}: ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });
});
