import type { World } from './world.ts';

/** A call that succeeds in a world. The tenancy tests replace every id of that world with another tenant's. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** The headers and query as `ManagementClient.call` accepts them. */
export function requestOf(route: string, { params = {}, query = {}, body }: Sample): [route: string, body: unknown] {
  const path = route.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query);
  return [search.size > 0 ? `${path}?${search}` : path, body];
}

/** Samples by route. */
export type Samples = Record<string, (world: World) => Sample>;

/** A sample with nothing but the ids in its path. */
export const at = (params: (world: World) => Record<string, string>) => (world: World) => ({ params: params(world) });
export const sending =
  (params: (world: World) => Record<string, string>, body: (world: World) => unknown) => (world: World) => ({
    params: params(world),
    body: body(world),
  });
export const none = () => ({});
