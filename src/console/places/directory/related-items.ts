import type { Result } from '../../api.ts';
import { contains, matches } from '../../entities/entity-pages.ts';
import type { RelatedItem } from '../../entities/relations.ts';
import { FIRST_PAGE } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';

type User = Pick<Result<'GET /users/:userId'>, 'id' | 'name' | 'username' | 'primaryEmail' | 'primaryPhone'>;

/** A user with their display name, and their other identifiers as details. */
export function userOf({ id, name, username, primaryEmail, primaryPhone }: User): RelatedItem {
  const known = [username, primaryEmail, primaryPhone].filter((one) => one !== null);
  const called = name || known[0] || id;
  const about = known.filter((one) => one !== called).join(', ');
  return { id, name: called, path: `/directory/users/${id}`, about };
}

interface Described {
  id: string;
  name: string;
  description: string | null;
}

/** Converts rows to items with their description as details. Their pages are below this path. */
const itemAt =
  (path: string) =>
  ({ id, name, description }: Described): RelatedItem => ({
    id,
    name,
    path: `${path}/${id}`,
    about: description ?? '',
  });

export const roleOf = itemAt('/directory/roles');
export const applicationOf = itemAt('/directory/applications');
export const organizationScopeOf = itemAt('/directory/organization-scopes');

interface Scope {
  id: string;
  name: string;
  resource: { id: string; name: string };
}

/** A scope, with its resource as details. */
export const scopeOf = ({ id, name, resource }: Scope): RelatedItem => ({
  id,
  name,
  path: `/directory/resources/${resource.id}`,
  about: resource.name,
});

/** Kinds of assignees of a role. */
export const ROLE_TYPES = [
  ['User', 'Users'],
  ['MachineToMachine', 'Machine-to-machine applications'],
] as const;

export const assigneesOf = ({ type }: { type: string }): string =>
  ROLE_TYPES.find(([value]) => value === type)?.[1] ?? type;

/** The query of a search for candidates. */
const queryOf = (text: string, search = contains) => ({ ...FIRST_PAGE, ...(text !== '' && search(text)) });

type Choices = (request: ConsoleRequest, text: string) => Promise<RelatedItem[]>;

export const userChoices: Choices = async ({ perform }, text) =>
  (await perform('GET /users', { query: queryOf(text) })).value.map(userOf);

export const roleChoices =
  (type: 'User' | 'MachineToMachine'): Choices =>
  async ({ perform }, text) =>
    (await perform('GET /roles', { query: { ...queryOf(text), type } })).value.map(roleOf);

export const applicationChoices: Choices = async ({ perform }, text) =>
  (await perform('GET /applications', { query: { ...queryOf(text), type: 'MachineToMachine' } })).value.map(
    applicationOf,
  );

export const organizationScopeChoices: Choices = async ({ perform }, text) =>
  (await perform('GET /organization-scopes', { query: queryOf(text, matches) })).value.map(organizationScopeOf);

/** Scopes of all resources. The API lists scopes only with their resources. */
export const scopeChoices: Choices = async ({ perform }, text) => {
  const { value } = await perform('GET /resources', { query: { includeScopes: 'true' } });
  const all = value.flatMap((resource) => (resource.scopes ?? []).map((scope) => scopeOf({ ...scope, resource })));
  return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
};
