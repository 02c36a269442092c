import Type, { type TSchema } from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { EACH_ONCE, Id } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { isReservedIndicator } from '../../tokens/urns.ts';

/** Ids of one call. More than this is not one change but an import. */
const MAX_IDS = 5_000;

/** Ids in a body; a repeated one counts once. */
export const Ids = ({ least = 1, most = MAX_IDS } = {}) =>
  Type.Array(Id, { minItems: least, maxItems: most, [EACH_ONCE]: true });

/** Every field may be left out. */
export const optional = <T extends Record<string, TSchema>>(fields: T) => Type.Partial(Type.Object(fields));

/** @throws 400 `request.invalid_input` for a time that ends before it starts */
export function requireOrder(startTime: number | undefined, endTime: number | undefined): void {
  if (startTime !== undefined && endTime !== undefined && startTime > endTime)
    throw new ServiceError('request.invalid_input', { message: 'start_time must not be after end_time.' });
}

/** 400 for what a schema cannot say; `details` begins with the JSON path. */
export const invalidBody = (details: string): ServiceError =>
  new ServiceError('guard.invalid_input', { message: 'The body of the request is not valid.', details });

/** RFC 8707 §2: an absolute URI without a fragment. @throws 400 `guard.invalid_input` */
export function requireIndicator(field: string, indicator: string): void {
  if (!URL.canParse(indicator) || indicator.includes('#') || /\s/.test(indicator))
    throw invalidBody(`body.${field}: must be an absolute URI without a fragment`);
  if (isReservedIndicator(indicator)) throw invalidBody(`body.${field}: urn:logto: is reserved for the service`);
}

/** @throws 404 (or 422) `entity.relation_foreign_key_not_found`, naming the member that holds the ids */
export async function requireExisting(
  store: TenantStore,
  table: 'users' | 'roles' | 'applications' | 'scopes' | 'organizationRoles' | 'organizationScopes',
  { ids, member, status }: { ids: readonly string[]; member: string; status?: 422 },
): Promise<void> {
  const found = await store.from(table).whereIn('id', ids).select('id');
  if (found.length < ids.length) throw foreignKeyNotFound(member, status);
}
