import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { Match } from './match.ts';

type Found = Omit<Match, 'id'> | undefined;

/** Ids that the service makes are longer than this. */
const SHORTEST_ID = 8;

/** Reads of rows that have an id but no name, each by its primary key. */
const READS: ((store: TenantStore, id: string) => Promise<Found>)[] = [
  async (store, id) => {
    const one = await store.find('impersonations', { id });
    return one && { type: 'impersonation', name: id, about: `Token of user ${one.subjectId}`, parentId: null };
  },
  async (store, id) => {
    const token = await store.find('issuedJwts', { id });
    return token && { type: 'token', name: id, about: `Token of user ${token.accountId}`, parentId: token.accountId };
  },
  async (store, id) => {
    const open = await store.find('deliveries', { id });
    const delivery = open ?? (await store.from('attempts').where({ deliveryId: id }).first());
    return delivery && { type: 'delivery', name: id, about: null, parentId: delivery.hookId };
  },
  async (store, id) => {
    const entry = await store.find('auditLog', { id });
    return entry && { type: 'log', name: id, about: entry.key, parentId: null };
  },
  async (store, id) => {
    const run = await store.find('scriptRuns', { id });
    return run && { type: 'script-run', name: id, about: run.result, parentId: run.tokenType };
  },
];

/** Finds what has this id, or this `jti`. */
export async function findById(store: TenantStore, id: string): Promise<Match[]> {
  if (id.length < SHORTEST_ID || !/^[\w-]+$/.test(id)) return [];
  const found = await Promise.all(READS.map((read) => read(store, id)));
  return found.flatMap((one) => (one ? [{ id, ...one }] : []));
}
