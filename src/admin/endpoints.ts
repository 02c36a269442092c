import type { Knex } from 'knex';
import { ServiceError } from '../errors.ts';
import { invalidBody } from '../management/shared/fields.ts';
import { endpointKeyOf } from '../tenants.ts';

/** The form of a tenant's id. */
export const TENANT_ID = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** What the service itself answers below an endpoint: a tenant of such a path would hide it from another. */
const OWN_PATHS = /\/(?:admin|api|console|oidc|account|sign-in|assets|healthz|readyz|\.well-known)(?:\/|$)/;

function normalized(text: string, index: number): string {
  const fault = (expected: string) => invalidBody(`body.endpoints[${index}]: ${expected}`);
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw fault('must be an absolute http or https URL');
  if (/[?#]/.test(text) || url.username || url.password)
    throw fault('must hold no query, no fragment and no credentials');
  if (OWN_PATHS.test(url.pathname)) throw fault('its path holds a word that the service uses itself');
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/**
 * As they are kept and compared: the first is the canonical one, which the issuer is made from.
 *
 * @throws 400 `guard.invalid_input`
 */
export function normalizedEndpoints(endpoints: readonly string[]): string[] {
  const urls = endpoints.map(normalized);
  if (new Set(urls.map(endpointKeyOf)).size < urls.length) throw invalidBody('body.endpoints: two are the same place');
  return urls;
}

/** Those of these endpoints at which another tenant is served. */
export async function takenPlaces(db: Knex, tenantId: string, endpoints: readonly string[]): Promise<string[]> {
  const others: { url: string }[] = await db('tenantEndpoints').whereNot({ tenantId }).select('url');
  const taken = new Set(others.map(({ url }) => endpointKeyOf(url)));
  return endpoints.filter((url) => taken.has(endpointKeyOf(url)));
}

/** @throws 422 `entity.unique_integrity_violation` when another tenant is served at one of these places */
export async function requireFreePlaces(db: Knex, tenantId: string, endpoints: readonly string[]): Promise<void> {
  const conflicts = await takenPlaces(db, tenantId, endpoints);
  if (conflicts.length > 0)
    throw new ServiceError('entity.unique_integrity_violation', { data: { endpoints: conflicts } });
}
