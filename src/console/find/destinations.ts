import { sectionsOf } from '../frame.ts';
import { places } from '../places/index.ts';
import type { ConsoleRequest } from '../route.ts';

/** A page that can be opened by its name. */
interface Destination {
  name: string;
  kind: 'Page' | 'Action';
  path: string;
}

/** Forms that are opened by what they do: label and path. */
const ACTIONS = [
  ['Create user', '/directory/users/new'],
  ['Create application', '/directory/applications/new'],
  ['Create organization', '/directory/organizations/new'],
  ['Create role', '/directory/roles/new'],
  ['Create resource', '/directory/resources/new'],
  ['Create webhook', '/webhooks/new'],
  ['Act as a user', '/impersonations/new'],
  ['Add administrator', '/settings/administrators/add'],
  ['Add connector', '/settings/connectors/new'],
] as const;

function destinationsOf({ tenant }: ConsoleRequest): Destination[] {
  const pages = places.flatMap((place) =>
    sectionsOf(place, tenant.id).map(({ name, path }): Destination => {
      const full = name === place.name ? name : `${place.name}: ${name}`;
      return { name: full, kind: 'Page', path };
    }),
  );
  return [...ACTIONS.map(([name, path]): Destination => ({ name, kind: 'Action', path })), ...pages];
}

/**
 * Returns the pages and actions whose name contains every word of the text, and that the administrator may open. All of
 * them if the text is empty.
 */
export function findDestinations(request: ConsoleRequest, text: string): Destination[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  return destinationsOf(request).filter(({ name, path }) => isFound(name) && !request.missingRole(path));
}
