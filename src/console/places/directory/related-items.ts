import { contains, matches } from '../../entities/entity-pages.ts';
import type { RelatedItem } from '../../entities/relations.ts';
import { FIRST_PAGE } from '../../parts/parts.ts';
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

/** Converts rows to items with their description as details. Their pages are below this path. */
const itemAt =
  (path: string) =>
  ({ id, name, description }: Record<string, unknown>): RelatedItem => ({
    id: String(id),
    name: String(name),
    path: `${path}/${id}`,
    about: String(description ?? ''),
  });

export const roleOf = itemAt('/directory/roles');
export const applicationOf = itemAt('/directory/applications');
export const organizationScopeOf = itemAt('/directory/organization-scopes');

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

/** Searches a list of the Management API for candidates. */
const choicesIn =
  (list: string, itemOf: (row: Row) => RelatedItem, filter: Record<string, string> = {}, search = contains) =>
  async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> => {
    const query = { ...FIRST_PAGE, ...filter, ...(text !== '' && search(text)) };
    return (await perform<Row[]>(`GET ${list}`, { query })).value.map(itemOf);
  };

export const userChoices = choicesIn('/users', userOf);
export const roleChoices = (type: 'User' | 'MachineToMachine') => choicesIn('/roles', roleOf, { type });
export const applicationChoices = choicesIn('/applications', applicationOf, { type: 'MachineToMachine' });
export const organizationScopeChoices = choicesIn('/organization-scopes', organizationScopeOf, {}, matches);

/** Scopes of all resources. The API lists scopes only with their resources. */
export const scopeChoices = async ({ perform }: ConsoleRequest, text: string): Promise<RelatedItem[]> => {
  const { value } = await perform<(Row & { scopes: Row[] })[]>('GET /resources', { query: { includeScopes: 'true' } });
  const all = value.flatMap((resource) => resource.scopes.map((scope) => scopeOf({ ...scope, resource })));
  return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
};
