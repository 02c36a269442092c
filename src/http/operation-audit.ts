import type { Request } from 'express';
import type { AuditEntry } from '../audit/record.ts';
import type { ServiceError } from '../errors.ts';
import { clientFactsOf, contextOf } from './context.ts';
import type { Operation } from './operation.ts';

/** Of a refused request's path, which may be as long as its sender likes. */
const MAX_TEXT = 256;

function entryOf(request: Request, { route }: Operation, now: number): Omit<AuditEntry, 'result' | 'payload'> {
  const { caller, requestId } = contextOf(request);
  return {
    key: `Management.${route}`,
    applicationId: caller?.applicationId,
    userId: (request.params.userId as string | undefined)?.slice(0, MAX_TEXT),
    ...clientFactsOf(request),
    requestId,
    createdAt: now,
  };
}

const paramsOf = ({ params }: Request): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params as Record<string, string>).map(([name, id]) => [name, id.slice(0, MAX_TEXT)]),
  );

/** A write that happened: who, what, on whom, from where, and what its row adds. */
export function auditOf(
  request: Request,
  operation: Operation,
  { outcome, input, status, now }: { outcome: unknown; input: unknown; status: number; now: number },
): AuditEntry {
  const { userId, actorId, ...details } = operation.audit?.(outcome, input as never) ?? {};
  const entry = entryOf(request, operation, now);
  const madeId = (outcome as { id?: unknown } | undefined)?.id;
  const made = operation.method === 'POST' && typeof madeId === 'string' ? { id: madeId } : {};
  return {
    ...entry,
    result: 'Success',
    userId: userId ?? entry.userId,
    actorId,
    payload: { params: paramsOf(request), status, ...made, ...details },
  };
}

/** A write that was refused: the code says why. Nothing of the body, which may hold secrets. */
export function refusalOf(
  request: Request,
  operation: Operation,
  { code, status }: ServiceError,
  now: number,
): AuditEntry {
  return {
    ...entryOf(request, operation, now),
    result: 'Error',
    payload: { params: paramsOf(request), status, code },
  };
}
