import { type Html, html } from '../../pages/html.ts';
import type { Visit } from '../route.ts';
import { copyable } from './parts.ts';

type Named = { id: string; name?: string | null; username?: string | null; primaryEmail?: string | null };

/** People and applications by their ids, for a list: two reads, however long it is. Who is deleted has no name. */
export interface Names {
  people: ReadonlyMap<string, string>;
  applications: ReadonlyMap<string, string>;
}

export const nameOf = ({ id, name, username, primaryEmail }: Named): string => name || username || primaryEmail || id;

async function namesIn({ perform }: Visit, list: string, ids: Set<string>): Promise<Map<string, string>> {
  if (ids.size === 0) return new Map();
  const query = { 'search.id': [...ids], mode: 'exact', isCaseSensitive: 'true', page: '1', page_size: '100' };
  const { value } = await perform<Named[]>(`GET ${list}`, { query });
  return new Map(value.map((one) => [one.id, nameOf(one)]));
}

export interface Mentions {
  people: (string | null)[];
  applications: (string | null)[];
}

const present = (ids: (string | null)[]): Set<string> => new Set(ids.filter((id) => id !== null));

export async function namesOf(visit: Visit, { people, applications }: Mentions): Promise<Names> {
  return {
    people: await namesIn(visit, '/users', present(people)),
    applications: await namesIn(visit, '/applications', present(applications)),
  };
}

/** A link for who is still there; the id alone for who is not. */
export function person(visit: Visit, { people }: Names, id: string | null): Html {
  if (id === null) return html`<span class="quiet">nobody named</span>`;
  const name = people.get(id);
  return name === undefined ? copyable(id) : html`<a href="${visit.to(`/directory/users/${id}`)}">${name}</a>`;
}

export function application(visit: Visit, { applications }: Names, id: string): Html {
  const name = applications.get(id);
  return name === undefined ? copyable(id) : html`<a href="${visit.to(`/directory/applications/${id}`)}">${name}</a>`;
}
