import type { Knex } from 'knex';
import { ServiceError } from '../errors.ts';
import { invalidBody } from '../management/shared/fields.ts';
import { endpointKeyOf } from '../tenants.ts';

/** The form of a tenant id. */
export const TENANT_ID = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Paths that the service uses below an endpoint. A tenant with such a path would shadow those of another tenant. */
const OWN_PATHS = /\/(?:admin|api|console|oidc|account|sign-in|assets|healthz|readyz|\.well-known)(?:\/|$)/;

function normalizedEndpoint(text: string, index: number): string {
  const fault = (expected: string) => invalidBody(`body.endpoints[${index}]: ${expected}`);
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw fault('must be an absolute http or https URL');
  if (/[?#]/.test(text) || url.username || url.password)
    throw fault('must not contain a query, a fragment or credentials');
  if (OWN_PATHS.test(url.pathname)) throw fault('must not contain a path segment that the service uses itself');
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/**
 * Returns endpoints in the form in which they are stored and compared. The issuer is derived from the first.
 *
 * @throws 400 `guard.invalid_input`
 */
export function normalizedEndpoints(endpoints: readonly string[]): string[] {
  const urls = endpoints.map(normalizedEndpoint);
  if (new Set(urls.map(endpointKeyOf)).size < urls.length)
    throw invalidBody('body.endpoints: two are the same address');
  return urls;
}

/** Returns the endpoints that another tenant already uses. */
export async function endpointsInUse(db: Knex, tenantId: string, endpoints: readonly string[]): Promise<string[]> {
  const others: { url: string }[] = await db('tenantEndpoints').whereNot({ tenantId }).select('url');
  const taken = new Set(others.map(({ url }) => endpointKeyOf(url)));
  return endpoints.filter((url) => taken.has(endpointKeyOf(url)));
}

/** @throws 422 `entity.unique_integrity_violation` when another tenant already uses one of the endpoints */
export async function requireFreeEndpoints(db: Knex, tenantId: string, endpoints: readonly string[]): Promise<void> {
  const conflicts = await endpointsInUse(db, tenantId, endpoints);
  if (conflicts.length > 0)
    throw new ServiceError('entity.unique_integrity_violation', { data: { endpoints: conflicts } });
}
