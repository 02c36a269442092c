import Type, { type TSchema } from 'typebox';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { EACH_ONCE, Id } from '../../entities.ts';
import { foreignKeyNotFound, ServiceError } from '../../errors.ts';
import { isReservedIndicator } from '../../tokens/urns.ts';

/** Most ids in one request. More than this is an import. */
const MAX_IDS = 5_000;

/** Returns the schema of ids in a body. A repeated id counts once. */
export const Ids = ({ least = 1, most = MAX_IDS } = {}) =>
  Type.Array(Id, { minItems: least, maxItems: most, [EACH_ONCE]: true });

/** Returns an object schema in which every field is optional. */
export const optional = <T extends Record<string, TSchema>>(fields: T) => Type.Partial(Type.Object(fields));

type Field<Name extends string, Value> = Name extends string ? Record<Name, Value> : never;

/** Returns an object with one field. Unlike `{ [name]: value }` its type keeps the name. */
export const only = <Name extends string, Value>(name: Name, value: Value) => ({ [name]: value }) as Field<Name, Value>;

/** @throws 400 `request.invalid_input` for a period that ends before it starts */
export function requireOrder(
  startTime: number | undefined,
  endTime: number | undefined,
  [start, end] = ['start_time', 'end_time'],
): void {
  if (startTime !== undefined && endTime !== undefined && startTime > endTime)
    throw new ServiceError('request.invalid_input', { message: `${start} is after ${end}. Send an earlier ${start}.` });
}

/** Returns the 400 for a rule that a schema cannot express. `details` begins with the JSON path. */
export const invalidBody = (details: string): ServiceError =>
  new ServiceError('guard.invalid_input', { message: 'The body of the request is not valid.', details });

/** RFC 8707 §2: an absolute URI without a fragment. @throws 400 `guard.invalid_input` */
export function requireIndicator(field: string, indicator: string): void {
  if (!URL.canParse(indicator) || indicator.includes('#') || /\s/.test(indicator))
    throw invalidBody(`body.${field}: must be an absolute URI without a fragment`);
  if (isReservedIndicator(indicator))
    throw invalidBody(`body.${field}: must not start with urn:logto:, which is reserved`);
}

/** @throws 404 (or 422) `entity.relation_foreign_key_not_found`, naming the field that contains the ids */
export async function requireExisting(
  store: TenantStore,
  table: 'users' | 'roles' | 'applications' | 'scopes' | 'organizationRoles' | 'organizationScopes',
  { ids, member, status }: { ids: readonly string[]; member: string; status?: 422 },
): Promise<void> {
  const found = await store.from(table).whereIn('id', ids).select('id');
  if (found.length < ids.length) throw foreignKeyNotFound(member, status);
}
