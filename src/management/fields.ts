import Type, { type TSchema } from 'typebox';
import { Id } from '../entities.ts';
import { ServiceError } from '../errors.ts';
import { isReservedIndicator } from '../oidc/urns.ts';

/** Ids of one call. More than this is not one change but an import. */
const MAX_IDS = 5_000;

/** Ids in a body, each once; none is allowed only where a set is replaced. */
export const Ids = ({ least = 1, most = MAX_IDS } = {}) =>
  Type.Array(Id, { minItems: least, maxItems: most, uniqueItems: true });

/** Every field may be left out. */
export const optional = <T extends Record<string, TSchema>>(fields: T) => Type.Partial(Type.Object(fields));

/** 400 for what a schema cannot say; `details` begins with the JSON path. */
export const invalidBody = (details: string): ServiceError =>
  new ServiceError('guard.invalid_input', { message: 'The body of the request is not valid.', details });

/** RFC 8707 §2: an absolute URI without a fragment. @throws 400 `guard.invalid_input` */
export function requireIndicator(field: string, indicator: string): void {
  if (!URL.canParse(indicator) || indicator.includes('#') || /\s/.test(indicator))
    throw invalidBody(`body.${field}: must be an absolute URI without a fragment`);
  if (isReservedIndicator(indicator)) throw invalidBody(`body.${field}: urn:logto: is reserved for the service`);
}

export const foreignKeyNotFound = (status?: 422): ServiceError =>
  new ServiceError('entity.relation_foreign_key_not_found', status ? { status } : {});
