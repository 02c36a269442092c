import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { parser } from '../../src/http/operations/validate.ts';

describe('the validation of a schema', () => {
  it('is compiled at its first use, and then shared', () => {
    let readings = 0;
    const schema = {
      get type() {
        readings += 1;
        return 'object';
      },
    };
    const parse = parser(schema as TSchema, 'body');
    expect(readings).toBe(0);
    parse({});
    parse({});
    parser(schema as TSchema, 'body')({});
    expect(readings).toBe(1);
    expect(() => parse([])).toThrow('The body of the request is not valid.');
  });
});
