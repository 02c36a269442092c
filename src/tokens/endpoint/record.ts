import type { AuditEntry } from '../../audit/record.ts';
import type { TokenAudit } from '../../audit/token-audit.ts';
import type { Clock } from '../../base/clock.ts';
import { unavailable } from '../../database/drivers/unavailable.ts';
import type { Logger } from '../../observe/logger.ts';
import type { Tenant } from '../../tenants.ts';
import { TOKEN_EXCHANGE } from '../urns.ts';
import type { ObserveToken } from './metrics.ts';
import type { Outcome } from './outcome.ts';
import type { TokenAttempt } from './token-request.ts';

/**
 * Label in metrics and key in the audit log by grant type. A Map, because a client may send a name of `Object.prototype`
 * as its grant type.
 */
const NAMES: ReadonlyMap<unknown, readonly [label: string, auditKey: string]> = new Map([
  ['authorization_code', ['authorization_code', 'ExchangeTokenBy.AuthorizationCode']],
  ['refresh_token', ['refresh_token', 'ExchangeTokenBy.RefreshToken']],
  ['client_credentials', ['client_credentials', 'ExchangeTokenBy.ClientCredentials']],
  [TOKEN_EXCHANGE, ['token_exchange', 'Impersonation.Refused']],
]);

/** One name for all other grant types, so that clients cannot create labels. */
const OTHER = ['other', 'ExchangeTokenBy.Unknown'] as const;

const namesOf = ({ form }: TokenAttempt) => NAMES.get(form.grant_type) ?? OTHER;

export interface RecordParts {
  tenant: Tenant;
  audit: TokenAudit;
  observe?: ObserveToken | undefined;
  clock: Clock;
  logger: Logger;
}

/** The audit entry of a token request that did not fail. */
function entryOf(attempt: TokenAttempt, outcome: Exclude<Outcome, { kind: 'failed' }>, createdAt: number): AuditEntry {
  const { client, secretName, facts } = attempt;
  const entry = { key: namesOf(attempt)[1], applicationId: client?.client_id, ...facts, createdAt };
  if (outcome.kind === 'issued') {
    const { audience: resource, response, userId } = outcome;
    return { ...entry, result: 'Success', userId, payload: { resource, scope: response.scope, secretName } };
  }
  const { error, parties } = outcome;
  const { userId, subjectToken, actor } = parties;
  const description = error.error_detail ?? error.error_description;
  const spent = { subjectTokenId: subjectToken?.id, context: subjectToken?.context };
  const payload = { error: error.message, description, secretName, ...spent };
  return { ...entry, result: 'Error', userId, actorId: actor?.id, payload };
}

/** Records how a token request ended: in the metrics, and in the audit log or, if the service failed, in its log. */
export function record(
  { tenant, audit, observe, clock, logger }: RecordParts,
  attempt: TokenAttempt,
  outcome: Outcome,
): void {
  const { form, facts, admission, startedAt } = attempt;
  observe?.(namesOf(attempt)[0], outcome.kind === 'issued' ? undefined : outcome.error.message, startedAt);
  if (outcome.kind === 'failed')
    logFailure(logger, { err: outcome.cause, requestId: facts.requestId, path: '/token', tenantId: tenant.id });
  else if (outcome.kind === 'refused' && !admission.isProven && outcome.parties.userId === undefined)
    audit.addAnonymous(tenant.id, entryOf(attempt, outcome, clock()));
  // The entry of a successful exchange was written in the transaction of the spend.
  else if (outcome.kind === 'refused' || form.grant_type !== TOKEN_EXCHANGE)
    audit.add(tenant.id, entryOf(attempt, outcome, clock()));
}

/** Logs a failure of the service. */
export function logFailure(logger: Logger, facts: { err: unknown } & Record<string, unknown>): void {
  if (unavailable(facts.err)) logger.warn(facts, 'Token request failed: the database is unavailable');
  else logger.error(facts, 'Token request failed');
}
