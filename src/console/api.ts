import type { OperatorApi } from '../admin/tenants.ts';
import type { ManagementApi } from '../management/index.ts';

/** The operations that pages can perform. Only tenant `default` has those of the Operator API. */
type Api = ManagementApi & OperatorApi;
export type ApiRoute = keyof Api;

/** The response of an operation. For a list, its rows. */
export type Result<R extends ApiRoute> = Api[R]['result'];

/** A row of a list. */
export type Item<R extends ApiRoute> = Result<R> extends readonly (infer One)[] ? One : never;

/** The type of a value as forms have it: one of several texts is any text, which the operation validates. */
type Submitted<T> = T extends string
  ? string
  : T extends readonly (infer One)[]
    ? Submitted<One>[]
    : T extends object
      ? { [K in keyof T]: Submitted<T[K]> }
      : T;

/** The body of an operation, before its validation. */
export type Body<R extends ApiRoute> = Submitted<Api[R]['body']>;

/** The path parameters of an operation. */
export type ParamsOf<R extends ApiRoute> = Submitted<Api[R]['params']>;

/** Query parameters are text. A list is a repeated parameter. */
type Query<R extends ApiRoute> = { [K in keyof Api[R]['query']]?: string | string[] };

type Input<R extends ApiRoute> = undefined extends Api[R]['body']
  ? { query?: Query<R>; body?: undefined }
  : { query?: Query<R>; body: Body<R> };

/** For a list with pages, `total` counts the items on all of them. */
export interface OperationResult<R extends ApiRoute> {
  value: Result<R>;
  total: Api[R]['total'];
}

/** The routes whose path parameters are all among these names. */
type RouteWith<Names> = { [R in ApiRoute]: keyof Api[R]['params'] extends Names ? R : never }[ApiRoute];

/** Performs an operation. `params` are those of the page, or given with the call. @template P the page's path parameters */
export interface Perform<P> {
  <R extends RouteWith<keyof P>>(
    route: R,
    ...input: undefined extends Api[R]['body'] ? [input?: Input<R>] : [input: Input<R>]
  ): Promise<OperationResult<R>>;
  <R extends ApiRoute>(route: R, input: { params: ParamsOf<R> } & Input<R>): Promise<OperationResult<R>>;
}
