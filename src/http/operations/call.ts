import type { Tenant } from '../../tenants.ts';
import type { Caller } from '../context.ts';
import type { Verdict } from '../rate-limits/rate-limits.ts';

/** Who asks what of whose tenant, from where. Nothing of it was validated but the caller. */
export interface Call {
  tenant: Tenant;
  caller: Caller;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  /** As its events tell it: without `/api`. */
  path: string;
  ip: string | undefined;
  userAgent: string | undefined;
  requestId: string;
  /** A body came in a form that nobody reads. */
  hasForeignBody?: boolean;
  /** Told where the caller stands, when the row is limited. */
  onVerdict?: (verdict: Verdict) => void;
}
