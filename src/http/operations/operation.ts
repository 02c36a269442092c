import type { Static, TSchema } from 'typebox';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ErrorCode } from '../../errors.ts';
import type { EventType } from '../../events/catalogue.ts';
import type { Tenant } from '../../tenants.ts';
import type { Caller } from '../context.ts';
import type { RateLimitName } from '../rate-limits/rate-limits.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from './pagination.ts';
import type { Services } from './services.ts';

export type { Caller, PageRequest, Services };
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE };

/** `'DELETE /roles/:id/scopes/:scopeId'` → `{ id: string; scopeId: string }` */
export type PathParams<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : R extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

/** The request of an operation, in all three phases. */
export interface Input<Params = Record<string, string>, Body = unknown, Query = unknown> {
  params: Params;
  body: Body;
  query: Query;
  /** Undefined if the whole list is requested. */
  page: PageRequest | undefined;
  caller: Caller;
  tenant: Tenant;
}

/** Returns the id of the author: the administrator's, or else the application's. */
export const authorOf = ({ userId, applicationId }: Caller): string => userId ?? applicationId;

/** Tools of `run`. None of them waits for anything but the database. */
export interface RunTools {
  store: TenantStore;
  /** Epoch milliseconds, the same instant for all rows and events of an operation. */
  now: number;
  secrets: SecretBox;
}

/** Fields of an operation's event beyond those of every event. `false`: no event is emitted. */
export type EventFields = false | { data?: unknown; [extra: string]: unknown };

/** Fields for the audit log. Never a secret or free text of a body, except a reason, which is meant to be kept. */
export interface AuditFields {
  userId?: string;
  actorId?: string | undefined;
  [detail: string]: unknown;
}

/**
 * An operation has three phases. `load` reads briefly. `prepare` does slow work and has no store. `run` writes in one
 * transaction, has no network, and checks again what `load` read. So no transaction stays open while a password is
 * hashed; on SQLite, which has one writer, that would stall the service.
 */
export interface Definition<Params, B extends TSchema, Q extends TSchema, Loaded, Prepared, Outcome> {
  summary: string;
  /** True for an operation with a body that changes nothing and is not audited. Every GET is a read. */
  isRead?: boolean;
  description?: string;
  status: number;
  /** Only if a path parameter has a specific format: `{ tokenTypePath: … }`. */
  params?: TSchema;
  body?: B;
  query?: Q;
  /** The response is the outcome, reduced to this schema. Without it the response has no body. */
  returns?: TSchema;
  /** `always`: one page by default. `optional`: the whole list by default. In both cases `run` returns `Listed`. */
  paginated?: 'always' | 'optional';
  /** Rate limit by application and address. */
  rateLimit?: RateLimitName;
  /** Error codes besides those of every operation, with a status if it is not the usual one of the code. */
  errors?: (ErrorCode | readonly [ErrorCode, status: number])[];
  load?: (input: Input<Params, Static<B>, Static<Q>> & { store: TenantStore }) => Promise<Loaded>;
  prepare?: (
    input: Input<Params, Static<B>, Static<Q>> & { loaded: Awaited<Loaded>; secrets: SecretBox; now: number },
    services: Services,
  ) => Promise<Prepared>;
  run: (
    input: Input<Params, Static<B>, Static<Q>> & { loaded: Awaited<Loaded>; prepared: Awaited<Prepared> } & RunTools,
  ) => Promise<Outcome>;
  event?: EventType;
  /** By default `data` is the outcome, reduced to the schema of the event catalogue. */
  eventFields?: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => EventFields;
  /** Further events. */
  furtherEvents?: {
    event: EventType;
    eventFields: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => EventFields | EventFields[];
  }[];
  /** Fields of the audit entry besides route, path and caller: the affected user, the actor and the reason. */
  audit?: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => AuditFields;
  /** The status, if it depends on the outcome. The first PUT of a resource is 201. */
  statusOf?: (outcome: Outcome) => number;
  /** The other value of `statusOf` besides `status`. */
  otherStatus?: number;
  /** Media type of an outcome that is text, sent as it is instead of JSON. */
  contentType?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: one list has operations of every type, each checked when declared.
type AnyDefinition = Definition<any, TSchema, TSchema, any, any, any>;

export interface Operation extends AnyDefinition {
  /** Method and path, such as `PATCH /roles/:id`. */
  route: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
}

/** One page of a list. `total` is the exact number of items on all pages. */
export interface Listed<T> {
  rows: T[];
  total: number;
}

/** Declares an operation of an API. Its phases are typed by its route and schemas. */
export function operation<
  const R extends string,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  Loaded = undefined,
  Prepared = undefined,
  Outcome = unknown,
>(route: R, definition: Definition<PathParams<R>, B, Q, Loaded, Prepared, Outcome>): Operation {
  const [method, path] = route.split(' ') as [Operation['method'], string];
  return { ...(definition as unknown as AnyDefinition), route, method, path };
}
