import type { Tenant } from '../../tenants.ts';
import type { Caller } from '../context.ts';
import type { Verdict } from '../rate-limits/rate-limits.ts';

/** A call of an operation. Only the caller has been validated. */
export interface OperationCall {
  tenant: Tenant;
  caller: Caller;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  /** Without `/api`, as events contain it. */
  path: string;
  ip: string | undefined;
  userAgent: string | undefined;
  requestId: string;
  /** True if the body has a content type that is not supported. */
  hasUnsupportedBody?: boolean;
  /** Receives the rate limit verdict if the operation is limited. */
  onVerdict?: (verdict: Verdict) => void;
}
