import type { Static, TSchema } from 'typebox';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ErrorCode } from '../../errors.ts';
import type { EventType } from '../../events/catalogue.ts';
import type { Tenant } from '../../tenants.ts';
import type { Caller } from '../context.ts';
import type { Limited } from '../rate-limits/rate-limits.ts';
import type { Page } from './pagination.ts';
import type { Services } from './services.ts';

export type { Caller, Page, Services };

/** `'DELETE /roles/:id/scopes/:scopeId'` → `{ id: string; scopeId: string }` */
export type PathParams<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : R extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

/** What a row is told of its request, in all three phases. */
export interface Input<Params = Record<string, string>, Body = unknown, Query = unknown> {
  params: Params;
  body: Body;
  query: Query;
  /** Undefined when the list was asked for whole. */
  page: Page | undefined;
  caller: Caller;
  tenant: Tenant;
}

/** Whose work it is: the administrator's, or the machine's. */
export const authorOf = ({ userId, applicationId }: Caller): string => userId ?? applicationId;

/** What `run` may use besides the transaction's store: nothing that waits for anything but the database. */
export interface RunTools {
  store: TenantStore;
  /** One instant per operation: its rows and its events agree. Epoch milliseconds. */
  now: number;
  secrets: SecretBox;
}

/** What a row says of its event beyond the facts every event has. `false`: nothing is announced. */
export type Announced = false | { data?: unknown; [extra: string]: unknown };

/** Never a secret, never the value of a body's free text, except the reason that someone gave to be kept. */
export interface Audited {
  userId?: string;
  actorId?: string | undefined;
  [detail: string]: unknown;
}

/**
 * Three phases. `load` reads, briefly. `prepare` does slow work and has no store. `run` writes in one
 * transaction, has no network, and re-checks what `load` saw. So nobody can hold a transaction open
 * while hashing a password: on SQLite, with one writer, that would stop the service.
 */
export interface Definition<Params, B extends TSchema, Q extends TSchema, Loaded, Prepared, Outcome> {
  summary: string;
  /** Changes nothing and is not recorded, though it takes a body: a GET is so by itself. */
  isRead?: boolean;
  description?: string;
  status: number;
  /** Only where an id in the path has a form of its own: `{ tokenTypePath: … }`. */
  params?: TSchema;
  body?: B;
  query?: Q;
  /** The response is the outcome seen through this schema; without it the answer has no body. */
  returns?: TSchema;
  /** `always`: 20 rows unless asked otherwise. `optional`: everything unless asked. Then `run` returns `Listed`. */
  paginated?: 'always' | 'optional';
  /** Counted against this limit, by application and address. */
  limited?: Limited;
  /** Codes beyond those every operation may answer; with a status where it is not the code's usual one. */
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
  /** By default `data` is the outcome, through the catalogue's schema. */
  announce?: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => Announced;
  /** Events that may accompany the first. */
  also?: {
    event: EventType;
    announce: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => Announced | Announced[];
  }[];
  /** What the audit log says beyond route, path and caller: on whom, by whom, and why. */
  audit?: (outcome: Outcome, input: Input<Params, Static<B>, Static<Q>>) => Audited;
  /** The status, where it depends on what happened (a first PUT is 201). */
  statusOf?: (outcome: Outcome) => number;
  /** What `statusOf` may say besides `status`. */
  otherStatus?: number;
  /** Sent as it is, with this media type, instead of JSON. */
  contentType?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every type stand in one list; each was checked when it was declared.
type AnyDefinition = Definition<any, TSchema, TSchema, any, any, any>;

export interface Operation extends AnyDefinition {
  /** As in the specification's table 6.3: `PATCH /roles/:id`. Also the key of the OpenAPI path. */
  route: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
}

/** A paginated outcome. `total` is exact. */
export interface Listed<T> {
  rows: T[];
  total: number;
}

/** A row of the Management API. */
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
