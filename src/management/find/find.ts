import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { containing, TEXTS } from '../shared/listing.ts';
import { findById } from './by-id.ts';
import { type FoundUser, findUsers } from './find-users.ts';
import { type Match, MatchSchema, NAMED } from './match.ts';

/** Most matches of each type, except for users, of whom there are more. */
const MOST = 5;
const LONGEST_TEXT = 128;

const COLUMNS = ['id', 'name', 'description'] as const;

interface Named {
  id: string;
  name: string;
  description?: string | null;
  indicator?: string;
}

const matchOf =
  (type: Match['type']) =>
  ({ id, name, description, indicator }: Named): Match => ({
    type,
    id,
    name,
    about: indicator ?? description ?? null,
    parentId: null,
  });

function userMatch({ id, name, username, primaryEmail }: FoundUser): Match {
  const known = [name, username, primaryEmail].filter((text) => text !== null && text !== '');
  return { type: 'user', id, name: known[0] ?? id, about: known.slice(1).join(', ') || null, parentId: null };
}

/** Users by the start of a name, and by the whole id or phone number. */
async function usersOf(store: TenantStore, text: string): Promise<Match[]> {
  const phone = /^\+?(\d{5,15})$/.exec(text)?.[1];
  const exact = [store.find('users', { id: text }), phone && store.find('users', { primaryPhone: phone })];
  const [byKey, users] = await Promise.all([Promise.all(exact), findUsers(store, text)]);
  const all = [...byKey.filter((user) => user !== undefined && user !== ''), ...users];
  return [...new Map(all.map((user) => [user.id, userMatch(user)])).values()];
}

/** These tables are small, or searched along an index until enough is found. */
const FINDERS: Record<(typeof NAMED)[number], (store: TenantStore, has: (columns: string[]) => Condition) => Promise<Named[]>> =
  {
    user: async () => [],
    application: (store, has) => store.from('applications').where(has(TEXTS)).orderBy('name').limit(MOST).select(COLUMNS),
    organization: (store, has) =>
      store.from('organizations').where(has(TEXTS)).orderBy(['createdAt', 'id']).limit(MOST).select(COLUMNS),
    role: (store, has) => store.from('roles').where(has(TEXTS)).orderBy('name').limit(MOST).select(COLUMNS),
    resource: (store, has) =>
      store.from('resources').where(has(['id', 'name', 'indicator'])).orderBy('name').limit(MOST).select('id', 'name', 'indicator'),
    webhook: (store, has) => store.from('hooks').where(has(['id', 'name'])).orderBy('name').limit(MOST).select('id', 'name'),
  };

export const find = [
  operation('GET /search', {
    summary: 'Find anything by its name or id',
    description:
      'Users are found by the start of their username, email address, name or last name, or by their whole phone number; applications, organizations, roles, resources and webhooks by any part of their name or description. Everything is found by its whole id, tokens by their `jti`. Returns a few matches of each type.',
    status: 200,
    query: Type.Intersect([
      Type.Object({ q: Type.String({ minLength: 1, maxLength: LONGEST_TEXT }) }),
      optional({ type: Type.Enum([...NAMED], { description: 'Only this type' }) }),
    ]),
    returns: Type.Array(MatchSchema),
    async run({ query: { q, type }, store }) {
      const text = q.trim();
      if (text === '') return [];
      const has = (columns: string[]) => containing(store, columns, text);
      const found = await Promise.all([
        ...(type === undefined ? [findById(store, text)] : []),
        ...(type === undefined || type === 'user' ? [usersOf(store, text)] : []),
        ...NAMED.filter((one) => type === undefined || one === type).map(async (one) =>
          (await FINDERS[one](store, has)).map(matchOf(one)),
        ),
      ]);
      return found.flat();
    },
  }),
];
