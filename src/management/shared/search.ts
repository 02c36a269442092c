import Type, { type TSchemaOptions } from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { equals, like, matches } from '../../database/store/text-match.ts';
import { ServiceError } from '../../errors.ts';

const MODES = ['like', 'exact', 'similar_to', 'posix'] as const;
type Mode = (typeof MODES)[number];

/** What each searchable list is searched by. */
export const searchable = {
  users: ['id', 'primaryEmail', 'primaryPhone', 'username', 'name'],
  roles: ['id', 'name', 'description'],
  scopes: ['id', 'name', 'description'],
  applications: ['id', 'name', 'description'],
} as const;

/** On PostgreSQL: a regular expression of a caller's making may be slow without end. */
const PATTERN_TIMEOUT_MS = 500;
/** Values of one `exact` search. */
const MAX_VALUES = 100;

type Parameter = string | string[];
export type SearchQuery = Record<string, Parameter | undefined>;

const Value = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: MAX_VALUES }] };

/** The query of a searchable list: `search`, `mode`, each also for one field, and what the list takes besides. */
export function searchQuery<E extends Record<string, TSchemaOptions>>(fields: readonly string[], extra?: E) {
  const of = (name: string, description: string) =>
    Object.fromEntries(
      fields.map((field) => [`${name}.${field}`, { ...Value, description: `${description} ${field}` }]),
    );
  return Type.Unsafe<SearchQuery & { [K in keyof E]?: string }>({
    type: 'object',
    properties: {
      ...extra,
      search: { ...Value, description: 'Pattern of LIKE (`%`, `_`, escaped by `\\`), tried on every searchable field' },
      mode: { type: 'string', description: `How patterns are understood: ${MODES.join(', ')}; the first unless said` },
      ...of('search', 'The same, for'),
      ...of('mode', 'The mode, for'),
      joint: { type: 'string', description: '`or` (default) or `and`: how the conditions are joined' },
      isCaseSensitive: { type: 'string', description: '`true` or `false` (default)' },
    },
    // Answered by a code of its own, so the schema lets it through: contract, section 1.
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
    if (field !== undefined && !fields.includes(field)) throw refuse(`There is no searchable field ${field}.`);
    const mode = (field === undefined ? undefined : modeOf(query[`mode.${field}`])) ?? general;
    if (kind === 'mode') continue;
    const values = [value].flat();
    if (values.length === 0 || values.includes('')) throw refuse(`${name} is empty.`);
    if (values.length > 1 && mode !== 'exact') throw refuse(`${name} has several values, which only mode exact takes.`);
    terms.push({ columns: field === undefined ? fields : [field], mode, values });
  }
  return terms;
}

function oneOf<T extends string>(query: SearchQuery, name: string, values: readonly [T, ...T[]]): T {
  const value = query[name] ?? values[0];
  if (values.includes(value as T)) return value as T;
  throw refuse(`${name} must be one of ${values.join(', ')}.`);
}

interface Search {
  where: Condition;
  /** Whether a pattern's cost is the caller's to choose. */
  isCostly: boolean;
}

/** @throws 400 `request.invalid_input` */
export function searchOf(store: TenantStore, query: SearchQuery, fields: readonly string[]): Search {
  const joint = oneOf(query, 'joint', ['or', 'and']);
  const isCaseSensitive = oneOf(query, 'isCaseSensitive', ['false', 'true']) === 'true';
  const terms = termsOf(query, fields);
  const isCostly = terms.some(({ mode }) => mode === 'similar_to' || mode === 'posix');
  if (isCostly && store.kind === 'sqlite')
    throw refuse('The modes similar_to and posix need PostgreSQL; this service runs on SQLite.');
  if (terms.some(({ mode, values: [pattern = ''] }) => mode === 'like' && /(?<!\\)(?:\\\\)*\\$/.test(pattern)))
    throw refuse('A LIKE pattern must not end with the escape character.');

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

/** Runs a search; one whose cost is the caller's to choose gets a deadline of its own. */
export async function searching<T>(
  store: TenantStore,
  { where, isCostly }: Search,
  work: (store: TenantStore, where: Condition) => Promise<T>,
): Promise<T> {
  if (!isCostly) return work(store, where);
  try {
    return await store.transaction(async (store) => {
      await store.raw(`set local statement_timeout = ${PATTERN_TIMEOUT_MS}`);
      return work(store, where);
    });
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === '57014') throw refuse(`The pattern took longer than ${PATTERN_TIMEOUT_MS} ms.`);
    if (code.startsWith('22')) throw refuse('The pattern is not valid.');
    throw error;
  }
}
