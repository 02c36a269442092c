import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { AuditBatch } from '../audit/batch.ts';
import { recordAudit } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { catalogue, type EventType } from '../events/catalogue.ts';
import { type EventFacts, recordEvent } from '../events/record.ts';
import { project } from '../project.ts';
import type { SecretBox } from '../secret-box.ts';
import type { Caller } from './authenticate.ts';
import { clientFactsOf, contextOf } from './context.ts';
import type { Announced, Input, Listed, Operation } from './operation.ts';
import { auditOf, refusalOf } from './operation-audit.ts';
import { readPage, writePageHeaders } from './pagination.ts';
import { type Limited, type RateLimits, rateLimitHeaders } from './rate-limits.ts';
import type { Services } from './services.ts';
import { invalidInput, parser, refuseUnclean } from './validate.ts';

export interface Collaborators {
  services: Services;
  secrets: SecretBox;
  clock: Clock;
  /** Takes the refused writes; the others are recorded in their transaction. */
  refusals: Pick<AuditBatch, 'add'>;
  rateLimits: RateLimits;
}

/** Query, path and body, each closed; pagination stands apart, as it has a code of its own. */
function reader(operation: Operation): (request: Request) => Omit<Input, 'caller' | 'tenant'> {
  const parseBody = operation.body && parser(operation.body, 'body');
  const parseQuery = operation.query && parser(operation.query, 'query');
  const parseParams = operation.params && parser(operation.params, 'params');
  const { paginated } = operation;

  return (request) => {
    if (parseParams) parseParams(request.params);
    else refuseUnclean(request.params, 'params');
    const { page: _page, page_size: _size, ...rest } = request.query as Record<string, unknown>;
    const query: Record<string, unknown> = paginated ? rest : { ...request.query };
    const [unknown] = parseQuery ? [] : Object.keys(query);
    if (unknown !== undefined) throw invalidInput('query', `query.${unknown}: unknown property`);
    if (parseBody && request.body === undefined && hasBody(request))
      throw new ServiceError('request.unsupported_media_type');
    return {
      params: request.params as Record<string, string>,
      page: paginated && readPage(request.query as Record<string, unknown>, paginated),
      query: parseQuery ? parseQuery(query) : {},
      body: parseBody ? parseBody(request.body ?? {}) : undefined,
    };
  };
}

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

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

/** The facts of a Management API request that its events carry. Paths are without `/api`. */
function eventFactsOf(request: Request, operation: Operation, status: number): EventFacts {
  return {
    ...clientFactsOf(request),
    path: request.path,
    method: operation.method,
    status,
    params: request.params as Record<string, string>,
    matchedRoute: operation.path,
  };
}

function answer(
  request: Request,
  response: Response,
  operation: Operation,
  status: number,
  outcome: unknown,
  input: Input,
): void {
  const { returns, paginated, contentType } = operation;
  response.status(status);
  if (contentType) {
    response.type(contentType).send(outcome);
    return;
  }
  if (!returns) {
    response.end();
    return;
  }
  if (!paginated) {
    response.json(project(returns, outcome));
    return;
  }
  const { rows, total } = outcome as Listed<unknown>;
  const { host, protocol } = contextOf(request).tenant;
  if (input.page) writePageHeaders(request, response, `${protocol}://${host}`, input.page, total);
  response.json(project(returns, rows));
}

/** @throws 429 `request.rate_limited` */
function enforce(rateLimits: RateLimits, limited: Limited, request: Request, response: Response): void {
  const { tenant, caller } = contextOf(request);
  const verdict = rateLimits.take(tenant.id, limited, (caller as Caller).applicationId, clientFactsOf(request).ip);
  response.set(rateLimitHeaders(verdict));
  if (!verdict.isAllowed) throw new ServiceError('request.rate_limited');
}

/** What every row shares: parse, load, prepare, open the transaction, run, record, answer. */
export function serve(
  operation: Operation,
  { services, secrets, clock, refusals, rateLimits }: Collaborators,
): RequestHandler {
  const read = reader(operation);
  const isWrite = operation.method !== 'GET';

  const handle: RequestHandler = async (request, response) => {
    const { tenant, caller } = contextOf(request);
    if (operation.limited) enforce(rateLimits, operation.limited, request, response);
    const input: Input = { ...read(request), caller: caller as Caller, tenant };
    const loaded = await operation.load?.({ ...input, store: tenant.store });
    const now = clock();
    const prepared = await operation.prepare?.({ ...input, loaded, secrets, now }, services);

    if (!isWrite) {
      const outcome = await operation.run({ ...input, loaded, prepared, store: tenant.store, now, secrets });
      answer(request, response, operation, operation.status, outcome, input);
      return;
    }

    const { outcome, status } = await tenant.store.transaction(async (store) => {
      const outcome = await operation.run({ ...input, loaded, prepared, store, now, secrets });
      const status = operation.statusOf?.(outcome) ?? operation.status;
      const facts = eventFactsOf(request, operation, status);
      for (const { type, announced } of announcements(operation, outcome, input)) {
        await recordEvent(store, type, announced, facts, now);
      }
      await recordAudit(store, auditOf(request, operation, { outcome, input, status, now }));
      return { outcome, status };
    });
    answer(request, response, operation, status, outcome, input);
  };

  return async (request, response, next) => {
    try {
      await handle(request, response, next);
    } catch (error) {
      if (isWrite && error instanceof ServiceError)
        refusals.add(contextOf(request).tenant.id, refusalOf(request, operation, error, clock()));
      throw error;
    }
  };
}

/** The Management API's router: a route for each row, in the order of the list. */
export function serveOperations(operations: readonly Operation[], collaborators: Collaborators): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
    router[method](operation.path, serve(operation, collaborators));
  }
  return router;
}
