import { contains } from '../../entities/entity-pages.ts';
import { FIRST, type Joined } from '../../entities/relations.ts';
import type { Visit } from '../../route.ts';

type Row = Record<string, unknown> & { id: string; name?: string | null };

/** What a person is called, and what they sign in with. */
export function personOf(row: Record<string, unknown>): Joined {
  const { id, name, username, primaryEmail, primaryPhone } = row as Record<string, string | null>;
  const known = [username, primaryEmail, primaryPhone].filter(Boolean);
  const called = name || known[0] || String(id);
  const about = known.filter((one) => one !== called).join(', ');
  return { id: String(id), name: called, path: `/directory/users/${id}`, about };
}

export const roleOf = ({ id, name, description }: Record<string, unknown>): Joined => ({
  id: String(id),
  name: String(name),
  path: `/directory/roles/${id}`,
  about: String(description ?? ''),
});

export const applicationOf = ({ id, name, description }: Record<string, unknown>): Joined => ({
  id: String(id),
  name: String(name),
  path: `/directory/applications/${id}`,
  about: String(description ?? ''),
});

/** A scope says nothing without its resource. */
export const scopeOf = ({ id, name, resource }: Record<string, unknown>): Joined => {
  const { id: resourceId, name: resourceName } = resource as { id: string; name: string };
  return { id: String(id), name: String(name), path: `/directory/resources/${resourceId}`, about: resourceName };
};

const searched = (text: string) => (text === '' ? {} : contains(text));

export const people = async ({ perform }: Visit, text: string): Promise<Joined[]> =>
  (await perform<Row[]>('GET /users', { query: { ...FIRST, ...searched(text) } })).value.map(personOf);

export const roles =
  (type: 'User' | 'MachineToMachine') =>
  async ({ perform }: Visit, text: string): Promise<Joined[]> =>
    (await perform<Row[]>('GET /roles', { query: { ...FIRST, type, ...searched(text) } })).value.map(roleOf);

export const machines = async ({ perform }: Visit, text: string): Promise<Joined[]> => {
  const query = { ...FIRST, type: 'MachineToMachine', ...searched(text) };
  return (await perform<Row[]>('GET /applications', { query })).value.map(applicationOf);
};

/** Of all resources: there is no list of scopes alone. */
export const scopes = async ({ perform }: Visit, text: string): Promise<Joined[]> => {
  const { value } = await perform<(Row & { scopes: Row[] })[]>('GET /resources', { query: { includeScopes: 'true' } });
  const all = value.flatMap((resource) => resource.scopes.map((scope) => scopeOf({ ...scope, resource })));
  return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
};
