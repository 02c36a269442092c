import type { AuditBatch } from '../../audit/batch.ts';
import { recordAudit } from '../../audit/record.ts';
import type { Clock } from '../../base/clock.ts';
import { project } from '../../base/project.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { ServiceError } from '../../errors.ts';
import { catalogue, type EventType } from '../../events/catalogue.ts';
import { type EventFacts, recordEvent } from '../../events/record.ts';
import { type Limited, type RateLimits, rateLimitHeaders } from '../rate-limits/rate-limits.ts';
import type { Call } from './call.ts';
import type { Announced, Input, Listed, Operation } from './operation.ts';
import { auditOf, refusalOf } from './operation-audit.ts';
import { readPage } from './pagination.ts';
import type { Services } from './services.ts';
import { invalidInput, parser, refuseUnclean } from './validate.ts';

/** What performing a row takes besides the call itself. */
export interface Performing {
  services: Services;
  secrets: SecretBox;
  clock: Clock;
  /** Takes the refused writes; the others are recorded in their transaction. */
  refusals: Pick<AuditBatch, 'add'>;
  rateLimits: RateLimits;
}

export interface Performed {
  status: number;
  /** The outcome seen through the row's `returns`; of a list, its rows. */
  value: unknown;
  /** Of a list, over all its pages. */
  total: number | undefined;
  /** Undefined when it is no list, or was asked for whole. */
  page: Input['page'];
}

/** Performs one row: validate, load, prepare, open the transaction, run, record. */
export type Perform = (call: Call) => Promise<Performed>;

/** Query, path and body, each closed; pagination stands apart, as it has a code of its own. */
function reader(operation: Operation): (call: Call) => Input {
  const parseBody = operation.body && parser(operation.body, 'body');
  const parseQuery = operation.query && parser(operation.query, 'query');
  const parseParams = operation.params && parser(operation.params, 'params');
  const { paginated } = operation;

  return ({ tenant, caller, params, query: given, body, hasForeignBody }) => {
    if (parseParams) parseParams(params);
    else refuseUnclean(params, 'params');
    const { page: _page, page_size: _size, ...rest } = given;
    const query: Record<string, unknown> = paginated ? rest : { ...given };
    const [unknown] = parseQuery ? [] : Object.keys(query);
    if (unknown !== undefined) throw invalidInput('query', `query.${unknown}: unknown property`);
    if (parseBody && hasForeignBody) throw new ServiceError('request.unsupported_media_type');
    return {
      params,
      page: paginated && readPage(given, paginated),
      query: parseQuery ? parseQuery(query) : {},
      body: parseBody ? parseBody(body ?? {}) : undefined,
      caller,
      tenant,
    };
  };
}

/** The event of the row and those that came with it, in order. */
function announcements(
  operation: Operation,
  outcome: unknown,
  input: Input,
): { type: EventType; announced: Exclude<Announced, false> }[] {
  const { event, announce, also = [] } = operation;
  const found: { type: EventType; announced: Announced }[] = [];
  if (event) {
    const { data } = catalogue[event];
    found.push({
      type: event,
      announced: announce ? announce(outcome, input) : data ? { data: project(data, outcome) } : {},
    });
  }
  for (const { event, announce } of also) {
    for (const announced of [announce(outcome, input)].flat()) found.push({ type: event, announced });
  }
  return found.flatMap(({ type, announced }) => (announced ? [{ type, announced }] : []));
}

/** What its events carry beside their data. */
const eventFactsOf = ({ ip, userAgent, path, params }: Call, operation: Operation, status: number): EventFacts => ({
  userAgent,
  ip,
  path,
  method: operation.method,
  status,
  params,
  matchedRoute: operation.path,
});

function performedOf(operation: Operation, status: number, outcome: unknown, { page }: Input): Performed {
  const { returns, paginated, contentType } = operation;
  if (contentType) return { status, value: outcome, total: undefined, page };
  if (!returns) return { status, value: undefined, total: undefined, page };
  if (!paginated) return { status, value: project(returns, outcome), total: undefined, page };
  const { rows, total } = outcome as Listed<unknown>;
  return { status, value: project(returns, rows), total, page };
}

/** @throws 429 `request.rate_limited` */
function enforce(rateLimits: RateLimits, limited: Limited, { tenant, caller, ip, onVerdict }: Call): void {
  const verdict = rateLimits.take(tenant.id, limited, caller.userId ?? caller.applicationId, ip);
  onVerdict?.(verdict);
  if (!verdict.isAllowed) throw new ServiceError('request.rate_limited', { headers: rateLimitHeaders(verdict) });
}

/** What every row shares, whoever calls it: over HTTP, or from a page of the console. */
export function performer(
  operation: Operation,
  { services, secrets, clock, refusals, rateLimits }: Performing,
): Perform {
  const read = reader(operation);
  const isWrite = operation.method !== 'GET' && !operation.isRead;

  const perform: Perform = async (call) => {
    const { store } = call.tenant;
    if (operation.limited) enforce(rateLimits, operation.limited, call);
    const input = read(call);
    const loaded = await operation.load?.({ ...input, store });
    const now = clock();
    const prepared = await operation.prepare?.({ ...input, loaded, secrets, now }, services);

    if (!isWrite) {
      const outcome = await operation.run({ ...input, loaded, prepared, store, now, secrets });
      return performedOf(operation, operation.status, outcome, input);
    }

    const { outcome, status } = await store.transaction(async (store) => {
      const outcome = await operation.run({ ...input, loaded, prepared, store, now, secrets });
      const status = operation.statusOf?.(outcome) ?? operation.status;
      const facts = eventFactsOf(call, operation, status);
      for (const { type, announced } of announcements(operation, outcome, input)) {
        await recordEvent(store, type, announced, facts, now);
      }
      await recordAudit(store, auditOf(call, operation, { outcome, input, status, now }));
      return { outcome, status };
    });
    return performedOf(operation, status, outcome, input);
  };

  return async (call) => {
    try {
      return await perform(call);
    } catch (error) {
      if (isWrite && error instanceof ServiceError)
        refusals.add(call.tenant.id, refusalOf(call, operation, error, clock()));
      throw error;
    }
  };
}
