import type { AuditEntry } from '../../audit/record.ts';
import type { ServiceError } from '../../errors.ts';
import type { Input, Operation, OperationCall } from './operation.ts';

/** Longest id from the path of a refused request, whose length the caller chooses. */
const MAX_TEXT = 256;

function entryOf(
  { caller, params, ip, userAgent, requestId }: OperationCall,
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

/** Includes the administrator, because `actorId` can name another user whom the operation concerns. */
const whereOf = ({ caller: { userId }, params }: OperationCall) => ({
  ...(userId !== undefined && { administratorId: userId }),
  params: Object.fromEntries(Object.entries(params).map(([name, id]) => [name, id.slice(0, MAX_TEXT)])),
});

/** Returns the audit entry of a successful write, with the details that its operation adds. */
export function auditOf(
  call: OperationCall,
  operation: Operation,
  { outcome, input, status, now }: { outcome: unknown; input: Input; status: number; now: number },
): AuditEntry {
  const { userId, actorId, ...details } = operation.audit?.(outcome, input) ?? {};
  const entry = entryOf(call, operation, now);
  const createdId = (outcome as { id?: unknown } | undefined)?.id;
  const created = operation.method === 'POST' && typeof createdId === 'string' ? { id: createdId } : {};
  return {
    ...entry,
    result: 'Success',
    userId: userId ?? entry.userId,
    actorId: actorId ?? entry.actorId,
    payload: { ...whereOf(call), status, ...created, ...details },
  };
}

/** Returns the audit entry of a refused write, with the error code. Without the body, which may contain secrets. */
export function refusalOf(
  call: OperationCall,
  operation: Operation,
  { code, status }: ServiceError,
  now: number,
): AuditEntry {
  return {
    ...entryOf(call, operation, now),
    result: 'Error',
    payload: { ...whereOf(call), status, code },
  };
}
