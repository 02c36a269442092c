import type { Static, TSchema, TUndefined, TUnknown } from 'typebox';
import type { AdministratorRole } from '../../base/administrator-role.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { ErrorCode } from '../../errors.ts';
import type { EventData, EventType } from '../../events/catalogue.ts';
import type { Tenant } from '../../tenants.ts';
import type { Caller } from '../context.ts';
import type { SharedLimit, Verdict } from '../rate-limits/rate-limits.ts';
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
export interface Input<
  Params = Record<string, string>,
  Body = unknown,
  Query = unknown,
  Page = PageRequest | undefined,
> {
  params: Params;
  body: Body;
  query: Query;
  /** Undefined if the whole list is requested, or the operation returns no list. */
  page: Page;
  caller: Caller;
  tenant: Tenant;
}

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

/** Error codes, with a status if it is not the usual one of the code. */
export type Errors = (ErrorCode | readonly [ErrorCode, status: number])[];

/** `always`: one page by default. `optional`: the whole list by default. In both cases `run` returns `Listed`. */
type Paginated = 'always' | 'optional';
type Pagination = Paginated | undefined;

/** One page of a list. `total` is the exact number of items on all pages. */
export interface Listed<T> {
  rows: T[];
  total: number;
}

/** The parts of an operation that are no functions. */
interface Facts<P, B extends TSchema, Q, Returns, Pages, E> {
  summary: string;
  /** The least role of an administrator who may perform it. Machine-to-machine applications act as owners. */
  role: AdministratorRole;
  /** The role it takes in tenant `default`, if that is another: administrators sign in with its settings. */
  roleInDefault?: AdministratorRole;
  /** True for an operation with a body that changes nothing and is not audited. Every GET is a read. */
  isRead?: boolean;
  description?: string;
  status: number;
  /** Only if a path parameter has a specific format: `{ tokenTypePath: … }`. */
  params?: P;
  body?: B;
  /** A body for the reference that can be sent as it is. By default it is derived from the schema. */
  example?: Static<B>;
  query?: Q;
  /** The response is the outcome, reduced to this schema. Without it the response has no body. */
  returns?: Returns;
  paginated?: Pages;
  /** Rate limit by application and address. */
  rateLimit?: SharedLimit;
  /** Besides those of every operation. */
  errors?: Errors;
  event?: E;
  /** The other value of `statusOf` besides `status`. */
  otherStatus?: number;
}

/**
 * An operation has three phases. `load` reads briefly. `prepare` does slow work and has no store. `run` writes in one
 * transaction, has no network, and checks again what `load` read. So no transaction stays open while a password is
 * hashed; on SQLite, which has one writer, that would stall the service.
 */
interface Phases<In extends Pick<Input, 'body'>, Loaded, Prepared, Outcome> {
  /**
   * Rules of the body that its schema cannot express. Throws. Part of the validation: it gets the members that the schema
   * accepts, also if it refuses others, so that one response names every fault.
   */
  check?: (body: Partial<In['body']>, services: Services) => void;
  load?: (input: In & { store: TenantStore }) => Promise<Loaded>;
  prepare?: (input: In & { loaded: Loaded; secrets: SecretBox; now: number }, services: Services) => Promise<Prepared>;
  run: (input: In & { loaded: Loaded; prepared: Prepared } & RunTools) => Promise<Outcome>;
  /** By default `data` is the outcome, reduced to the schema of the event catalogue. */
  eventFields?: (outcome: Outcome, input: In) => EventFields;
  /** Further events. */
  furtherEvents?: { event: EventType; eventFields: (outcome: Outcome, input: In) => EventFields | EventFields[] }[];
  /** Fields of the audit entry besides route, path and caller: the affected user, the actor and the reason. */
  audit?: (outcome: Outcome, input: In) => AuditFields;
  /** The status, if it depends on the outcome. The first PUT of a resource is 201. */
  statusOf?: (outcome: Outcome) => number;
  /** Media type of an outcome that is text, sent as it is instead of JSON. */
  contentType?: [Outcome] extends [string] ? string : never;
}

/**
 * An operation. Its type keeps the route and the schemas, but not the types of its phases, which were checked when it was
 * declared: they are methods here, whose parameters TypeScript compares loosely.
 */
export interface Operation<
  R extends string = string,
  P extends TSchema = TSchema,
  B extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  Returns extends TSchema = TSchema,
  Pages extends Pagination = Pagination,
> extends Facts<P, B, Q, Returns, Pages, EventType | undefined> {
  /** Method and path, such as `PATCH /roles/:id`. */
  route: R;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  check?(body: object, services: Services): void;
  load?(input: Input & { store: TenantStore }): Promise<unknown>;
  prepare?(input: Input & { loaded: unknown; secrets: SecretBox; now: number }, services: Services): Promise<unknown>;
  run(input: Input & { loaded: unknown; prepared: unknown } & RunTools): Promise<unknown>;
  eventFields?(outcome: unknown, input: Input): EventFields;
  furtherEvents?: { event: EventType; eventFields(outcome: unknown, input: Input): EventFields | EventFields[] }[];
  audit?(outcome: unknown, input: Input): AuditFields;
  statusOf?(outcome: unknown): number;
  contentType?: string;
}

/**
 * The types of the calls of an API, by route. Without path parameters `params` is unknown, without query parameters
 * `query`; without a body `body` is undefined, without a response `result`; without pages `total`.
 */
export type ApiOf<Rows extends readonly Operation[]> = {
  [O in Rows[number] as O['route']]: O extends Operation<infer R, infer P, infer B, infer Q, infer Returns, infer Pages>
    ? {
        params: PathParams<R> & Static<P>;
        body: Static<B>;
        query: Static<Q> & (Pages extends Paginated ? { page?: string; page_size?: string } : unknown);
        result: Static<Returns>;
        total: Pages extends Paginated ? number : undefined;
      }
    : never;
};

/** The page of an operation's input. */
type PageOf<Pages> = Pages extends 'optional'
  ? PageRequest | undefined
  : Pages extends 'always'
    ? PageRequest
    : undefined;

/** The least that `run` returns: the fields of the response, and for a list the rows of a page. */
type OutcomeOf<Returns, Pages> = Pages extends Paginated
  ? { rows: Returns; total: number }
  : Returns extends undefined
    ? unknown
    : Returns;

/** Requires `eventFields` if the outcome does not contain the event's `data`. */
type EventFieldsOf<E, Outcome> = E extends EventType
  ? [Outcome] extends [EventData<E>]
    ? unknown
    : { eventFields: object }
  : unknown;

/** Declares an operation of an API. Its phases are typed by its route and schemas. */
export function operation<
  const R extends string,
  P extends TSchema = TUnknown,
  B extends TSchema = TUndefined,
  Q extends TSchema = TUnknown,
  Returns extends TSchema = TUndefined,
  Pages extends Pagination = undefined,
  E extends EventType | undefined = undefined,
  Loaded = undefined,
  Prepared = undefined,
  Outcome extends OutcomeOf<Static<Returns>, Pages> = never,
>(
  route: R,
  definition: Facts<P, B, Q, Returns, Pages, E> &
    Phases<Input<PathParams<R> & Static<P>, Static<B>, Static<Q>, PageOf<Pages>>, Loaded, Prepared, Outcome> &
    EventFieldsOf<E, Outcome>,
): Operation<R, P, B, Q, Returns, Pages> {
  const [method, path] = route.split(' ') as [Operation['method'], string];
  return { ...definition, route, method, path };
}
