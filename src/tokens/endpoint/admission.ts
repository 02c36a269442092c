import { errors } from 'oidc-provider';
import { type Admission, rateLimitHeaders, type Verdict } from '../../http/rate-limits/rate-limits.ts';

const admissions = new WeakMap<object, Admission>();

/** Remembers the admission of a request, for the grants of oidc-provider and the audit of their refusals. */
export const keepAdmission = (request: object, admission: Admission): void => {
  admissions.set(request, admission);
};

export const admissionOf = (request: object): Admission | undefined => admissions.get(request);

/** @throws 429 `temporarily_unavailable` when the client that has just authenticated is over its rate limit */
export function requireWithinLimit(verdict: Verdict | undefined): void {
  if (verdict && !verdict.isAllowed)
    throw Object.assign(new errors.TemporarilyUnavailable('too many requests'), {
      statusCode: 429,
      headers: rateLimitHeaders(verdict),
    });
}
