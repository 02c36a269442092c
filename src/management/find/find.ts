import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { operation } from '../../http/operations/operation.ts';
import { containing, newestFirst, TEXTS } from '../shared/listing.ts';
import { findById } from './by-id.ts';
import { type FoundUser, findUsers } from './find-users.ts';
import { type Match, MatchSchema, NAMED } from './match.ts';

/** Most matches of each type, except for users, of whom there are more. */
const MOST = 5;
const LONGEST_TEXT = 128;

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
  const [byId, byPhone, users] = await Promise.all([
    store.find('users', { id: text }),
    phone === undefined ? undefined : store.find('users', { primaryPhone: phone }),
    findUsers(store, text),
  ]);
  const all = [...[byId, byPhone].filter((user) => user !== undefined), ...users];
  return [...new Map(all.map((user) => [user.id, userMatch(user)])).values()];
}

type Find = (store: TenantStore, has: (columns: string[]) => Condition) => Promise<Named[]>;

/** Roles, applications, resources and webhooks are few. Organizations are read along an index until there are enough. */
const FINDERS: Record<Exclude<(typeof NAMED)[number], 'user'>, Find> = {
  application: async (store, has) =>
    store.from('applications').where(has(TEXTS)).orderBy('name').limit(MOST).select('id', 'name', 'description'),
  organization: async (store, has) =>
    store.from('organizations').where(has(TEXTS)).orderBy(newestFirst).limit(MOST).select('id', 'name', 'description'),
  role: async (store, has) =>
    store.from('roles').where(has(TEXTS)).orderBy('name').limit(MOST).select('id', 'name', 'description'),
  resource: async (store, has) =>
    store
      .from('resources')
      .where(has(['id', 'name', 'indicator']))
      .orderBy('name')
      .limit(MOST)
      .select('id', 'name', 'indicator'),
  webhook: async (store, has) =>
    store
      .from('hooks')
      .where(has(['id', 'name']))
      .orderBy('name')
      .limit(MOST)
      .select('id', 'name'),
};

async function find(store: TenantStore, type: (typeof NAMED)[number], text: string): Promise<Match[]> {
  if (type === 'user') return usersOf(store, text);
  const found = await FINDERS[type](store, (columns) => containing(store, columns, text));
  return found.map(matchOf(type));
}

export const finding = [
  operation('GET /search', {
    summary: 'Find anything by its name or id',
    role: 'viewer',
    description:
      'Users are found by the start of their username, email address, name or last name, or by their whole phone number; applications, organizations, roles, resources and webhooks by any part of their name or description. Everything is found by its whole id, tokens by their `jti`. Returns a few matches of each type.',
    status: 200,
    query: Type.Object({
      q: Type.String({ minLength: 1, maxLength: LONGEST_TEXT }),
      type: Type.Optional(Type.Enum([...NAMED], { description: 'Only this type' })),
    }),
    returns: Type.Array(MatchSchema),
    async run({ query: { q, type }, store }) {
      const text = q.trim();
      if (text === '') return [];
      if (type !== undefined) return find(store, type, text);
      const found = await Promise.all([findById(store, text), ...NAMED.map((one) => find(store, one, text))]);
      return found.flat();
    },
  }),
];
