import Type, { type Static, type TSchema } from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { equals, like, matches } from '../../database/store/text-match.ts';
import type { Tables } from '../../database/tables/index.ts';
import { ServiceError } from '../../errors.ts';
import type { Listed } from '../../http/operations/operation.ts';
import { type Listing, list } from './listing.ts';

const MODES = ['like', 'exact', 'similar_to', 'posix'] as const;
type Mode = (typeof MODES)[number];

/** The searchable lists with their fields. */
const searchable = {
  users: ['id', 'primaryEmail', 'primaryPhone', 'username', 'name'],
  roles: ['id', 'name', 'description'],
  scopes: ['id', 'name', 'description'],
  applications: ['id', 'name', 'description'],
} as const;

/** Statement timeout on PostgreSQL, because a caller's regular expression can take arbitrarily long. */
const PATTERN_TIMEOUT_MS = 500;
/** Most values of one `exact` search. */
const MAX_VALUES = 100;

type Parameter = string | string[];
export type SearchQuery = Record<string, Parameter | undefined>;

const Value = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: MAX_VALUES }] };

/**
 * Returns the query schema of a searchable list: `search` and `mode`, also per field, and the list's own parameters.
 */
export function searchQuery<E extends Record<string, TSchema> = Record<never, TSchema>>(
  table: keyof typeof searchable,
  extra?: E,
) {
  const fields = searchable[table];
  const of = (name: string, description: string) =>
    Object.fromEntries(
      fields.map((field) => [`${name}.${field}`, { ...Value, description: `${description} ${field}` }]),
    );
  return Type.Unsafe<SearchQuery & { [K in keyof E]?: Static<E[K]> }>({
    type: 'object',
    properties: {
      ...extra,
      search: {
        ...Value,
        description: 'LIKE pattern (`%`, `_`; escape character `\\`), matched against every searchable field',
      },
      mode: { type: 'string', description: `Type of the pattern: ${MODES.join(', ')}. Default: ${MODES[0]}` },
      ...of('search', 'Pattern for the field'),
      ...of('mode', 'Mode for the field'),
      joint: { type: 'string', description: 'How conditions are combined: `or` (default) or `and`' },
      isCaseSensitive: { type: 'string', description: '`true` or `false` (default)' },
    },
    // The schema accepts unknown fields, because they have an error code of their own.
    patternProperties: { '^(search|mode)(\\.|$)': Value },
    additionalProperties: false,
  });
}

interface Term {
  columns: readonly string[];
  mode: Mode;
  values: string[];
}

const refuse = (message: string): ServiceError => new ServiceError('request.invalid_input', { message });

function modeOf(value: Parameter | undefined): Mode | undefined {
  if (value === undefined) return undefined;
  if (MODES.includes(value as Mode)) return value as Mode;
  throw refuse(`A mode must be one of ${MODES.join(', ')}.`);
}

function termsOf(query: SearchQuery, fields: readonly string[]): Term[] {
  const general = modeOf(query.mode) ?? 'like';
  const terms: Term[] = [];
  for (const [name, value] of Object.entries(query)) {
    const [, kind, field] = /^(search|mode)(?:\.(.*))?$/s.exec(name) ?? [];
    if (kind === undefined || value === undefined) continue;
    if (field !== undefined && !fields.includes(field))
      throw refuse(`The field ${field} is not searchable. Use one of ${fields.join(', ')}.`);
    const mode = (field === undefined ? undefined : modeOf(query[`mode.${field}`])) ?? general;
    if (kind === 'mode') continue;
    const values = [value].flat();
    if (values.length === 0 || values.includes('')) throw refuse(`${name} is empty. Send a value or leave it out.`);
    if (values.length > 1 && mode !== 'exact')
      throw refuse(`${name} has several values, which only the mode exact accepts.`);
    terms.push({ columns: field === undefined ? fields : [field], mode, values });
  }
  return terms;
}

function oneOf<T extends string>(query: SearchQuery, name: string, values: readonly [T, ...T[]]): T {
  const value = query[name] ?? values[0];
  if (values.includes(value as T)) return value as T;
  throw refuse(`${name} must be one of ${values.join(', ')}.`);
}

/**
 * Returns the condition of a search. It is costly if the caller's pattern decides how long it takes.
 *
 * @throws 400 `request.invalid_input`
 */
function searchOf(store: TenantStore, query: SearchQuery, fields: readonly string[]) {
  const joint = oneOf(query, 'joint', ['or', 'and']);
  const isCaseSensitive = oneOf(query, 'isCaseSensitive', ['false', 'true']) === 'true';
  const terms = termsOf(query, fields);
  const isCostly = terms.some(({ mode }) => mode === 'similar_to' || mode === 'posix');
  if (isCostly && store.kind === 'sqlite')
    throw refuse('The modes similar_to and posix need PostgreSQL, but this service runs on SQLite. Use like or exact.');
  if (terms.some(({ mode, values: [pattern = ''] }) => mode === 'like' && /(?<!\\)(?:\\\\)*\\$/.test(pattern)))
    throw refuse('A LIKE pattern must not end with the escape character. Escape it as \\\\.');

  const conditionOf = ({ mode, values }: Term, column: string) => {
    const options = { isCaseSensitive };
    if (mode === 'exact') return equals(store, column, values, options);
    if (mode === 'like') return like(store, column, values[0] as string, options);
    return matches(store, column, values[0] as string, { ...options, mode });
  };
  const where: Condition = (query) => {
    if (terms.length === 0) return;
    query.andWhere((all) => {
      for (const term of terms) {
        all[joint === 'or' ? 'orWhere' : 'andWhere']((any) => {
          for (const column of term.columns) any.orWhere(conditionOf(term, column));
        });
      }
    });
  };
  return { where, isCostly };
}

/**
 * Returns the rows of a list that a search finds. A costly search has a deadline.
 *
 * @throws 400 `request.invalid_input`
 */
export async function search<T extends keyof typeof searchable>(
  store: TenantStore,
  table: T,
  query: SearchQuery,
  { where, ...listing }: Listing,
): Promise<Listed<Tables[T]>> {
  const { where: found, isCostly } = searchOf(store, query, searchable[table]);
  const both: Condition = (rows) => {
    where?.(rows);
    rows.where(found);
  };
  if (!isCostly) return list(store, table, { ...listing, where: both });
  try {
    return await store.transaction(async (store) => {
      await store.limitStatements(PATTERN_TIMEOUT_MS);
      return list(store, table, { ...listing, where: both });
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === '57014') throw refuse(`The search took longer than ${PATTERN_TIMEOUT_MS} ms. Use a simpler pattern.`);
    if (code.startsWith('22')) throw refuse('The pattern is not valid. Correct its syntax.');
    throw error;
  }
}
