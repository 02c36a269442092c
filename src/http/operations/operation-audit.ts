import type { AuditEntry } from '../../audit/record.ts';
import type { ServiceError } from '../../errors.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';

/** Of a refused request's path, which may be as long as its sender likes. */
const MAX_TEXT = 256;

function entryOf(
  { caller, params, ip, userAgent, requestId }: Call,
  { route }: Operation,
  now: number,
): Omit<AuditEntry, 'result' | 'payload'> {
  return {
    key: `Management.${route}`,
    applicationId: caller.applicationId,
    userId: params.userId?.slice(0, MAX_TEXT),
    actorId: caller.userId,
    ip,
    userAgent,
    requestId,
    createdAt: now,
  };
}

/** An administrator is named here too: the row may say `actorId` of someone else, whom it concerns. */
const whereOf = ({ caller: { userId }, params }: Call) => ({
  ...(userId !== undefined && { administratorId: userId }),
  params: Object.fromEntries(Object.entries(params).map(([name, id]) => [name, id.slice(0, MAX_TEXT)])),
});

/** A write that happened: who, what, on whom, from where, and what its row adds. */
export function auditOf(
  call: Call,
  operation: Operation,
  { outcome, input, status, now }: { outcome: unknown; input: unknown; status: number; now: number },
): AuditEntry {
  const { userId, actorId, ...details } = operation.audit?.(outcome, input as never) ?? {};
  const entry = entryOf(call, operation, now);
  const madeId = (outcome as { id?: unknown } | undefined)?.id;
  const made = operation.method === 'POST' && typeof madeId === 'string' ? { id: madeId } : {};
  return {
    ...entry,
    result: 'Success',
    userId: userId ?? entry.userId,
    actorId: actorId ?? entry.actorId,
    payload: { ...whereOf(call), status, ...made, ...details },
  };
}

/** A write that was refused: the code says why. Nothing of the body, which may hold secrets. */
export function refusalOf(call: Call, operation: Operation, { code, status }: ServiceError, now: number): AuditEntry {
  return {
    ...entryOf(call, operation, now),
    result: 'Error',
    payload: { ...whereOf(call), status, code },
  };
}
