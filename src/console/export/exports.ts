import { contains } from '../entities/entity-pages.ts';
import { namesOf } from '../parts/names.ts';
import { orderQuery } from '../parts/parts.ts';
import { reasonOf, referencedIds, ticketOf } from '../places/impersonations/impersonation.ts';
import { impersonationQuery } from '../places/impersonations/list.ts';
import { auditQuery, idsIn, titleOf } from '../places/settings/audit-log.ts';
import type { ConsoleRequest } from '../route.ts';
import type { Cell } from './csv.ts';
import type { ExportName } from './export-link.ts';

interface Export {
  columns: readonly string[];
  /** Returns a page of the list, with the filters in the URL, as cells. The first cell is the id. */
  read(request: ConsoleRequest, page: { page: string; page_size: string }): Promise<Cell[][]>;
}

/** Times that spreadsheets understand, in UTC. */
const at = (time: number | null): Cell => (time === null ? null : new Date(time).toISOString());

export const EXPORTS: Record<ExportName, Export> = {
  users: {
    columns: ['id', 'name', 'username', 'email', 'phone', 'suspended', 'lastSignInAt', 'createdAt'],
    async read(request, page) {
      const text = request.query.get('q')?.trim() ?? '';
      const query = { ...(text && contains(text)), ...orderQuery(request), ...page };
      const { value } = await request.perform('GET /users', { query });
      return value.map((user) => [
        ...[user.id, user.name, user.username, user.primaryEmail, user.primaryPhone, user.isSuspended],
        ...[at(user.lastSignInAt), at(user.createdAt)],
      ]);
    },
  },
  impersonations: {
    columns: [
      ...['id', 'user', 'userId', 'actor', 'actorId', 'reason', 'ticket', 'application', 'applicationId', 'resource'],
      ...['scope', 'ip', 'startedAt', 'expiresAt', 'revokedAt'],
    ],
    async read(request, page) {
      // Without an end, impersonations that begin meanwhile would move the rows of later pages.
      const query = { end_time: String(request.now), ...impersonationQuery(request).query, ...page };
      const { value } = await request.perform('GET /impersonations', { query });
      const { users, applications } = await namesOf(request, referencedIds(value));
      return value.map((one) => [
        ...[one.id, users.get(one.subjectId), one.subjectId, users.get(one.actorId ?? ''), one.actorId],
        ...[reasonOf(one), ticketOf(one), applications.get(one.applicationId), one.applicationId, one.resource],
        ...[one.scope, one.ip, at(one.issuedAt), at(one.expiresAt), at(one.revokedAt)],
      ]);
    },
  },
  'audit-log': {
    columns: [
      ...[
        'id',
        'time',
        'action',
        'key',
        'result',
        'actor',
        'actorId',
        'user',
        'userId',
        'application',
        'applicationId',
      ],
      ...['ip', 'requestId', 'details'],
    ],
    async read(request, page) {
      const query = { ...auditQuery(request).query, end_time: String(request.now), ...page };
      const { value } = await request.perform('GET /logs', { query });
      const names = await namesOf(request, idsIn(value));
      return value.map((entry) => {
        const { actorId, userId, applicationId, result, ip, requestId, details } = entry.payload;
        return [
          ...[entry.id, at(entry.createdAt), titleOf(entry, names), entry.key, result],
          ...[names.users.get(actorId ?? ''), actorId, names.users.get(userId ?? ''), userId],
          ...[names.applications.get(applicationId ?? ''), applicationId, ip, requestId, JSON.stringify(details)],
        ];
      });
    },
  },
};
