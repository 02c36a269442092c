import type { Item } from '../api.ts';
import { KINDS, kindPath } from '../places/claims/kinds.ts';
import type { ConsoleRequest } from '../route.ts';
import { findDestinations } from './destinations.ts';

type Match = Item<'GET /search'>;

/** An option of the command palette or of a picker, as `assets/combobox.js` shows it. */
export interface FoundItem {
  /** The entity’s id, which a picker puts into its field. Pages have none. */
  id?: string;
  name: string;
  about: string | null;
  kind: string;
  href: string;
}

const LONGEST_TEXT = 128;

const LABELS: Record<Match['type'], string> = {
  user: 'User',
  application: 'Application',
  organization: 'Organization',
  role: 'Role',
  resource: 'Resource',
  webhook: 'Webhook',
  impersonation: 'Impersonation',
  token: 'Token',
  delivery: 'Delivery',
  log: 'Audit log entry',
  'script-run': 'Script run',
};

const runsPath = (tokenType: string | null): string => {
  const kind = KINDS.find((one) => one.tokenType === tokenType);
  return kind ? `${kindPath(kind)}/runs` : '';
};

/** Paths by type, from the escaped ids. */
const PATHS: Record<Match['type'], (id: string, parentId: string | null) => string> = {
  user: (id) => `/directory/users/${id}`,
  application: (id) => `/directory/applications/${id}`,
  organization: (id) => `/directory/organizations/${id}`,
  role: (id) => `/directory/roles/${id}`,
  resource: (id) => `/directory/resources/${id}`,
  webhook: (id) => `/webhooks/${id}`,
  impersonation: (id) => `/impersonations/${id}`,
  token: (_, userId) => `/directory/users/${userId}`,
  delivery: (id, hookId) => `/webhooks/${hookId}/deliveries/${id}`,
  log: (id) => `/settings/audit/${id}`,
  'script-run': (id, tokenType) => `${runsPath(tokenType)}/${id}`,
};

/**
 * Returns what the text in the URL finds: for the command palette pages, actions and everything of the tenant; for a
 * picker entities of its `type`.
 */
export async function findItems(request: ConsoleRequest): Promise<FoundItem[]> {
  const text = (request.query.get('q') ?? '').trim().slice(0, LONGEST_TEXT);
  const type = request.query.get('type') ?? undefined;
  const destinations = type === undefined ? findDestinations(request, text) : [];
  const query = { q: text, ...(type !== undefined && { type }) };
  const matches = text === '' ? [] : (await request.perform('GET /search', { query })).value;
  return [
    ...matches.map(({ type, id, name, about, parentId }) => ({
      id,
      name,
      about,
      kind: LABELS[type],
      href: request.to(PATHS[type](encodeURIComponent(id), parentId && encodeURIComponent(parentId))),
    })),
    ...destinations.map(({ name, kind, path }) => ({ name, about: null, kind, href: request.to(path) })),
  ];
}
