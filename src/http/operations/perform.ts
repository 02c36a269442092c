import type { AuditBatch } from '../../audit/batch.ts';
import { recordAudit } from '../../audit/record.ts';
import { includesRole, requireRole } from '../../base/administrator-role.ts';
import type { Clock } from '../../base/clock.ts';
import { project } from '../../base/project.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { performUnit } from '../../database/store/unit-of-work.ts';
import { ServiceError } from '../../errors.ts';
import { catalogue, type EventType } from '../../events/catalogue.ts';
import { recordEvent } from '../../events/record.ts';
import { rateLimitHeaders, type SharedLimit } from '../rate-limits/rate-limits.ts';
import type { SharedLimits } from '../rate-limits/shared-limits.ts';
import { leastRoleOf, protectAdministrators } from './authorize.ts';
import type { EventFields, Input, Listed, Operation, OperationCall } from './operation.ts';
import { auditOf, refusalOf } from './operation-audit.ts';
import { readPage } from './pagination.ts';
import type { Services } from './services.ts';
import { checkTextAndDepth, invalidInput, parser } from './validate.ts';

/** The services that performing an operation needs. */
export interface PerformerParts {
  services: Services;
  secrets: SecretBox;
  clock: Clock;
  /** Records refused writes. Successful ones are recorded in their transaction. */
  refusals: Pick<AuditBatch, 'add'>;
  rateLimits: SharedLimits;
}

export interface OperationResult {
  status: number;
  /** The outcome, reduced to the schema `returns`. For a list, its rows. */
  value: unknown;
  /** For a list, the number of items on all pages. */
  total: number | undefined;
  /** Undefined if the outcome is not a list, or the whole list was requested. */
  page: Input['page'];
}

/** Performs one operation: check the caller's role, validate, load, prepare, then run and record in one transaction. */
export type Perform = (call: OperationCall) => Promise<OperationResult>;

/** Returns the validation of an operation's path, query and body. Pagination has its own error code. */
function inputParser(operation: Operation, services: Services): (call: OperationCall) => Input {
  const parseBody = operation.body && parser(operation.body, 'body', (body) => operation.check?.(body, services));
  const parseQuery = operation.query && parser(operation.query, 'query');
  const parseParams = operation.params && parser(operation.params, 'params');
  const { paginated } = operation;

  return ({ tenant, caller, params, query: given, body, hasUnsupportedBody }) => {
    if (parseParams) parseParams(params);
    else checkTextAndDepth(params, 'params');
    const { page: _page, page_size: _size, ...rest } = given;
    const query: Record<string, unknown> = paginated ? rest : { ...given };
    const [unknown] = parseQuery ? [] : Object.keys(query);
    if (unknown !== undefined) throw invalidInput('query', `query.${unknown}: unknown property`);
    if (parseBody && hasUnsupportedBody) throw new ServiceError('request.unsupported_media_type');
    return {
      params,
      page: paginated && readPage(given, paginated),
      query: parseQuery?.(query),
      body: parseBody?.(body ?? {}),
      caller,
      tenant,
    };
  };
}

/** Returns the events of an outcome, in order. */
function eventsOf(
  operation: Operation,
  outcome: unknown,
  input: Input,
): { type: EventType; fields: Exclude<EventFields, false> }[] {
  const { event, eventFields, furtherEvents = [] } = operation;
  const found: { type: EventType; fields: EventFields }[] = [];
  if (event) {
    const { data } = catalogue[event];
    found.push({
      type: event,
      fields: eventFields ? eventFields(outcome, input) : data ? { data: project(data, outcome) } : {},
    });
  }
  for (const { event, eventFields } of furtherEvents) {
    for (const fields of [eventFields(outcome, input)].flat()) found.push({ type: event, fields });
  }
  return found.flatMap(({ type, fields }) => (fields ? [{ type, fields }] : []));
}

/** The role that sees secrets in responses, such as the signing secret of a webhook. */
const SEES_SECRETS = 'editor';

function resultOf(operation: Operation, status: number, outcome: unknown, { page, caller }: Input): OperationResult {
  const { returns, paginated } = operation;
  const secrets = includesRole(caller.role, SEES_SECRETS) ? 'shown' : 'hidden';
  const { rows, total } = paginated ? (outcome as Listed<unknown>) : { rows: outcome, total: undefined };
  return { status, value: returns && project(returns, rows, secrets), total, page };
}

/** @throws 429 `request.rate_limited` */
function enforceRateLimit(
  rateLimits: SharedLimits,
  name: SharedLimit,
  { tenant, caller, ip, onVerdict }: OperationCall,
): void {
  const verdict = rateLimits.take(tenant.id, name, caller.userId ?? caller.applicationId, ip);
  onVerdict?.(verdict);
  if (!verdict.isAllowed) throw new ServiceError('request.rate_limited', { headers: rateLimitHeaders(verdict) });
}

/** Returns the function that performs an operation, for calls over HTTP and from pages of the console. */
export function performer(
  operation: Operation,
  { services, secrets, clock, refusals, rateLimits }: PerformerParts,
): Perform {
  const inputOf = inputParser(operation, services);
  const isWrite = operation.method !== 'GET' && !operation.isRead;

  const perform: Perform = async (call) => {
    const { store } = call.tenant;
    requireRole(call.caller.role, leastRoleOf(operation, call.tenant.id));
    if (operation.rateLimit) enforceRateLimit(rateLimits, operation.rateLimit, call);
    const input = inputOf(call);
    await protectAdministrators(operation, input);
    const loaded = await operation.load?.({ ...input, store });
    const now = clock();
    const prepared = await operation.prepare?.({ ...input, loaded, secrets, now }, services);

    if (!isWrite) {
      const outcome = await operation.run({ ...input, loaded, prepared, store, now, secrets });
      return resultOf(operation, operation.status, outcome, input);
    }

    const { outcome, status } = await performUnit(store, async (store) => {
      const outcome = await operation.run({ ...input, loaded, prepared, store, now, secrets });
      const status = operation.statusOf?.(outcome) ?? operation.status;
      const { ip, userAgent, path, params } = call;
      const { method, path: matchedRoute } = operation;
      const facts = { userAgent, ip, path, method, status, params, matchedRoute };
      for (const { type, fields } of eventsOf(operation, outcome, input)) {
        await recordEvent(store, type, fields, facts, now);
      }
      await recordAudit(store, auditOf(call, operation, { outcome, input, status, now }));
      return { outcome, status };
    });
    return resultOf(operation, status, outcome, input);
  };

  return async (call) => {
    try {
      return await perform(call);
    } catch (error) {
      if (isWrite && error instanceof ServiceError)
        refusals.add({ tenantId: call.tenant.id, entry: refusalOf(call, operation, error, clock()) });
      throw error;
    }
  };
}
