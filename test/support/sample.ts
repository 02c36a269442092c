import type { World } from './world.ts';

/** A call that succeeds in a world. Whatever in it is an id of that world is tried with another tenant's. */
export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

/** As `ManagementClient.call` takes it. */
export function requestOf(route: string, { params = {}, query = {}, body }: Sample): [route: string, body: unknown] {
  const path = route.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query);
  return [search.size > 0 ? `${path}?${search}` : path, body];
}

/** By route. */
export type Samples = Record<string, (world: World) => Sample>;

/** A sample that needs nothing but the ids in its path. */
export const at = (params: (world: World) => Record<string, string>) => (world: World) => ({ params: params(world) });
export const sending =
  (params: (world: World) => Record<string, string>, body: (world: World) => unknown) => (world: World) => ({
    params: params(world),
    body: body(world),
  });
export const none = () => ({});
