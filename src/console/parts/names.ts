import { type Html, html } from '../../pages/html.ts';
import type { ConsoleRequest } from '../route.ts';
import { copyable, FIRST_PAGE, MAX_ITEMS } from './parts.ts';

interface Named {
  id: string;
  name: string | null;
  username?: string | null;
  primaryEmail?: string | null;
}

/** Names of users and applications by id, for a list, with two reads for up to 100 each. Deleted ones have no name. */
export interface Names {
  users: ReadonlyMap<string, string>;
  applications: ReadonlyMap<string, string>;
}

export const nameOf = ({ id, name, username, primaryEmail }: Named): string => name || username || primaryEmail || id;

async function namesIn(
  { perform }: ConsoleRequest,
  list: 'users' | 'applications',
  ids: Set<string>,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const all = [...ids];
  for (let from = 0; from < all.length; from += MAX_ITEMS) {
    const some = all.slice(from, from + MAX_ITEMS);
    const query = { 'search.id': some, mode: 'exact', isCaseSensitive: 'true', ...FIRST_PAGE };
    for (const one of (await perform(`GET /${list}`, { query })).value) names.set(one.id, nameOf(one));
  }
  return names;
}

export interface ReferencedIds {
  users: (string | null)[];
  applications: (string | null)[];
}

const present = (ids: (string | null)[]): Set<string> => new Set(ids.filter((id) => id !== null));

export async function namesOf(request: ConsoleRequest, ...all: ReferencedIds[]): Promise<Names> {
  return {
    users: await namesIn(request, 'users', present(all.flatMap(({ users }) => users))),
    applications: await namesIn(request, 'applications', present(all.flatMap(({ applications }) => applications))),
  };
}

/** Returns the name of the author of a change: an administrator, or an application of the tenant. */
export async function authorName(request: ConsoleRequest, id: string): Promise<string> {
  const administrator = (await request.rights.list()).find(({ user }) => user.id === id);
  if (administrator) return nameOf(administrator.user);
  return (await namesIn(request, 'applications', new Set([id]))).get(id) ?? id;
}

/** A link to the user, or the id alone if the user was deleted. */
export function userLink(request: ConsoleRequest, { users }: Names, id: string | null): Html {
  if (id === null) return html`<span class="quiet">No actor</span>`;
  const name = users.get(id);
  return name === undefined ? copyable(id) : html`<a href="${request.to(`/directory/users/${id}`)}">${name}</a>`;
}

/** A link to the application, or the id alone if the application was deleted. */
export function applicationLink(request: ConsoleRequest, { applications }: Names, id: string): Html {
  const name = applications.get(id);
  return name === undefined ? copyable(id) : html`<a href="${request.to(`/directory/applications/${id}`)}">${name}</a>`;
}
