import { html } from '../../../pages/html.ts';
import { applicationLink, namesOf, userLink } from '../../parts/names.ts';
import { when } from '../../parts/parts.ts';
import { type Impersonation, reasonOf, referencedIds, stateOf, ticketOf } from '../impersonations/impersonation.ts';
import { type AuditLogEntry, entryColumns, idsIn } from '../settings/audit-log.ts';
import type { UserList } from './user-lists.ts';

/** Impersonations with this user as the subject, or as the actor. */
const impersonationsBy = (
  column: 'subjectId' | 'actorId',
  { title, empty }: { title: string; empty: string },
): UserList<Impersonation> => ({
  title,
  empty,
  all: ({ params }) => `/impersonations?${new URLSearchParams({ [column]: params.userId })}`,
  async read({ perform, params }, query) {
    const { value, total } = await perform('GET /impersonations', { query: { [column]: params.userId, ...query } });
    return { rows: value, total };
  },
  async columns(request, rows) {
    const names = await namesOf(request, referencedIds(rows));
    return [
      {
        label: 'Started',
        cell: ({ id, issuedAt }) =>
          html`<a href="${request.to(`/impersonations/${id}`)}">${when(issuedAt, request.now)}</a>`,
      },
      column === 'subjectId'
        ? { label: 'Actor', cell: ({ actorId }) => userLink(request, names, actorId) }
        : { label: 'User', cell: ({ subjectId }) => userLink(request, names, subjectId) },
      { label: 'Status', cell: (one) => stateOf(one, request.now) },
      { label: 'Reason', cell: (one) => [reasonOf(one), ticketOf(one)].filter(Boolean).join(' · ') },
      { label: 'Application', cell: ({ applicationId }) => applicationLink(request, names, applicationId) },
    ];
  },
});

export const impersonationsOf = impersonationsBy('subjectId', {
  title: 'Impersonations of this user',
  empty: 'No one has acted as this user.',
});

export const impersonationsAsActor = impersonationsBy('actorId', {
  title: 'Impersonations by this user',
  empty: 'This user has not acted as anyone.',
});

/** Entries of the audit log that affect the user. */
export const activity: UserList<AuditLogEntry> = {
  title: 'Activity',
  lead: 'What happened to this user, newest first, from the audit log.',
  empty: 'Nothing has happened yet.',
  all: ({ params }) => `/settings/audit?${new URLSearchParams(params)}`,
  async read({ perform, params }, query) {
    const { value, total } = await perform('GET /logs', { query: { userId: params.userId, ...query } });
    return { rows: value, total };
  },
  async columns(request, rows) {
    const names = await namesOf(request, idsIn(rows));
    return [...entryColumns(request, names), { label: 'Time', cell: ({ createdAt }) => when(createdAt, request.now) }];
  },
};
