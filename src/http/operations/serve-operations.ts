import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Caller } from '../context.ts';
import { contextOf } from '../context.ts';
import { rateLimitHeaders } from '../rate-limits/rate-limits.ts';
import type { OperationCall } from './call.ts';
import type { Operation } from './operation.ts';
import { writePageHeaders } from './pagination.ts';
import { type OperationResult, type PerformerParts, performer } from './perform.ts';

const hasBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Returns the call that a request makes. Its path is without `/api`. */
function callOf(request: Request, response: Response): OperationCall {
  const { tenant, caller, ip, userAgent, requestId } = contextOf(request);
  return {
    tenant,
    caller: caller as Caller,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    body: request.body,
    hasUnsupportedBody: request.body === undefined && hasBody(request),
    path: request.path,
    ip,
    userAgent,
    requestId,
    onVerdict: (verdict) => response.set(rateLimitHeaders(verdict)),
  };
}

function answer(
  request: Request,
  response: Response,
  { returns, contentType }: Operation,
  { status, value, total, page }: OperationResult,
): void {
  response.status(status);
  if (contentType) {
    response.type(contentType).send(value);
    return;
  }
  if (!returns) {
    response.end();
    return;
  }
  if (page && total !== undefined) {
    const { host, protocol } = contextOf(request).tenant;
    writePageHeaders(request, response, `${protocol}://${host}`, page, total);
  }
  response.json(value);
}

/** Returns the request handler of an operation. */
export function serve(operation: Operation, parts: PerformerParts): RequestHandler {
  const perform = performer(operation, parts);
  return async (request, response) => {
    answer(request, response, operation, await perform(callOf(request, response)));
  };
}

/** Returns the router of an API, with one route per operation, in the order of the list. */
export function serveOperations(operations: readonly Operation[], parts: PerformerParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
    router[method](operation.path, serve(operation, parts));
  }
  return router;
}
