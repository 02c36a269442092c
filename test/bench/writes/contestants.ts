import { newId, newShortId } from '../../../src/base/ids.ts';
import { costed } from '../support/costs.ts';
import type { LoadDriver } from '../support/load.ts';
import type { Figure } from '../support/rounds.ts';
import type { Server } from '../support/spawn-server.ts';
import type { Understudy } from '../support/understudy.ts';

export const OPERATIONS = ['create', 'patch', 'assign', 'mint'] as const;
export type Operation = (typeof OPERATIONS)[number];

interface Requests {
  method: string;
  paths: string[];
  bodies: string[];
  status: number;
}

/** Returns the writes of one round, to the service or to the minimal server on the same database. */
export function writer(
  driver: LoadDriver,
  { api }: Understudy,
  { userIds, databasePid }: { userIds: string[]; databasePid?: number },
) {
  const userAt = (index: number) => userIds[index % userIds.length] ?? '';

  const requests: Record<Operation, (count: number) => Promise<Requests>> = {
    create: async (count) => ({
      method: 'POST',
      paths: Array(count).fill('/api/users'),
      bodies: Array.from({ length: count }, () => {
        const id = newShortId();
        return JSON.stringify({ username: `new_${id}`, primaryEmail: `${id}@example.org`, name: 'New' });
      }),
      status: 200,
    }),
    patch: async (count) => ({
      method: 'PATCH',
      paths: Array.from({ length: count }, (_, index) => `/api/users/${userAt(index)}`),
      bodies: Array.from({ length: count }, () => JSON.stringify({ name: `Name ${newShortId()}` })),
      status: 200,
    }),
    /** A role of its own, so that no user has it yet. */
    async assign(count) {
      const { id } = await api.must('POST /roles', { name: newId(), description: 'Assigned' });
      return {
        method: 'POST',
        paths: Array.from({ length: count }, (_, index) => `/api/users/${userAt(index)}/roles`),
        bodies: Array(count).fill(JSON.stringify({ roleIds: [id] })),
        status: 201,
      };
    },
    mint: async (count) => ({
      method: 'POST',
      paths: Array(count).fill('/api/subject-tokens'),
      bodies: Array.from({ length: count }, (_, index) =>
        JSON.stringify({ userId: userAt(index), context: { ticketId: 'TICKET-7' } }),
      ),
      status: 201,
    }),
  };

  return async ({ origin, pid }: Server, operation: Operation, count: number, connections: number): Promise<Figure> => {
    const headers = { authorization: `Bearer ${await api.token()}`, 'content-type': 'application/json' };
    const load = { origin, path: '', headers, connections, ...(await requests[operation](count)) };
    return costed({ service: pid, database: databasePid }, count, async () => (await driver.send(load)).perSecond);
  };
}
