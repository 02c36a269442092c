import { contains } from '../../entities/entity-pages.ts';
import { FIRST_PAGE, type RelatedItem } from '../../entities/relations.ts';
import type { ConsoleRequest } from '../../route.ts';

type Row = Record<string, unknown> & { id: string; name?: string | null };

/** A user with their display name, and their other identifiers as details. */
export function userOf(row: Record<string, unknown>): RelatedItem {
  const { id, name, username, primaryEmail, primaryPhone } = row as Record<string, string | null>;
  const known = [username, primaryEmail, primaryPhone].filter(Boolean);
  const called = name || known[0] || String(id);
  const about = known.filter((one) => one !== called).join(', ');
  return { id: String(id), name: called, path: `/directory/users/${id}`, about };
}

export const roleOf = ({ id, name, description }: Record<string, unknown>): RelatedItem => ({
  id: String(id),
  name: String(name),
  path: `/directory/roles/${id}`,
  about: String(description ?? ''),
});

export const applicationOf = ({ id, name, description }: Record<string, unknown>): RelatedItem => ({
  id: String(id),
  name: String(name),
  path: `/directory/applications/${id}`,
  about: String(description ?? ''),
});

/** A scope, with its resource as details. */
export const scopeOf = ({ id, name, resource }: Record<string, unknown>): RelatedItem => {
  const { id: resourceId, name: resourceName } = resource as { id: string; name: string };
  return { id: String(id), name: String(name), path: `/directory/resources/${resourceId}`, about: resourceName };
};

/** Kinds of assignees of a role. */
export const ROLE_TYPES = [
  ['User', 'Users'],
  ['MachineToMachine', 'Machine-to-machine applications'],
] as const;

export const assigneesOf = ({ type }: Record<string, unknown>): string =>
  ROLE_TYPES.find(([value]) => value === type)?.[1] ?? String(type);

const searched = (text: string) => (text === '' ? {} : contains(text));

export const userChoices = async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> =>
  (await perform<Row[]>('GET /users', { query: { ...FIRST_PAGE, ...searched(text) } })).value.map(userOf);

export const roleChoices =
  (type: 'User' | 'MachineToMachine') =>
  async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> =>
    (await perform<Row[]>('GET /roles', { query: { ...FIRST_PAGE, type, ...searched(text) } })).value.map(roleOf);

export const applicationChoices = async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> => {
  const query = { ...FIRST_PAGE, type: 'MachineToMachine', ...searched(text) };
  return (await perform<Row[]>('GET /applications', { query })).value.map(applicationOf);
};

/** Scopes of all resources. The API lists scopes only with their resources. */
export const scopeChoices = async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> => {
  const { value } = await perform<(Row & { scopes: Row[] })[]>('GET /resources', { query: { includeScopes: 'true' } });
  const all = value.flatMap((resource) => resource.scopes.map((scope) => scopeOf({ ...scope, resource })));
  return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
};
