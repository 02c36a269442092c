import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { Application, User } from '../../entities.ts';
import { userViews } from '../../events/user-view.ts';
import { type Errors, operation } from '../../http/operations/operation.ts';
import { Ids, only, optional } from '../shared/fields.ts';
import { containing, list, mapped, newestFirst, TEXTS, TextQuery } from '../shared/listing.ts';
import {
  APPLICATIONS,
  type Column,
  type MemberInput,
  type MemberKind,
  type MembersInput,
  RolesOfMember,
  USERS,
  withOrganizationRoles,
} from './memberships.ts';

/** The members that a call added and removed. */
type MembershipChange = Record<'added' | 'removed', string[]>;

/** Returns the event of a change: none if nothing changed. */
function membershipEvent({ ids }: MemberKind) {
  const field = ids.replace(/^./, (letter) => letter.toUpperCase());
  return {
    event: 'Organization.Membership.Updated' as const,
    eventFields: ({ added, removed }: MembershipChange, { params }: { params: { id: string } }) =>
      (added.length > 0 || removed.length > 0) && {
        organizationId: params.id,
        ...(added.length > 0 && { [`added${field}`]: added }),
        ...(removed.length > 0 && { [`removed${field}`]: removed }),
      },
  };
}

const memberIdIn = (row: { userId: string } | { applicationId: string }) =>
  'userId' in row ? row.userId : row.applicationId;

/** Adds members. Those that are members already are kept. @returns the new ones */
async function addMembers(store: TenantStore, kind: MemberKind, organizationId: string, ids: string[]) {
  const rows = ids.map((id) => ({ organizationId, ...only(kind.column, id) }));
  return (await store.addMissing(kind.members, rows)).map(memberIdIn);
}

const addition = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `Add ${kind.added} to an organization`,
  role: 'editor' as const,
  description: 'Existing members are kept.',
  status: 201,
  body: Type.Object(only(kind.ids, Ids())),
  returns: Type.Object(only(kind.ids, Type.Array(Type.String()))),
  errors: ['entity.not_exists_with_id', ...kind.errors] satisfies Errors,
  async run({ params: { id }, body: { [kind.ids]: ids }, store }: MembersInput<C>) {
    await store.get('organizations', { id });
    await kind.requireAll(store, ids);
    return { ...only(kind.ids, ids), added: await addMembers(store, kind, id, ids), removed: [] };
  },
  ...membershipEvent(kind),
  audit: ({ added }: MembershipChange) => ({ added }),
});

const replacement = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `Replace the ${kind.nouns} of an organization`,
  role: 'editor' as const,
  status: 204,
  body: Type.Object(only(kind.ids, Ids({ least: 0 }))),
  errors: ['entity.not_exists', ...kind.errors] satisfies Errors,
  async run({ params: { id: organizationId }, body: { [kind.ids]: ids }, store }: MembersInput<C>) {
    const { members, column }: MemberKind = kind;
    await store.lock('organizations', { id: organizationId });
    await kind.requireAll(store, ids);
    const present = await store.from(members).where({ organizationId }).select(column);
    const wanted = new Set(ids);
    const removed = present.map(memberIdIn).filter((id) => !wanted.has(id));
    await store.removeWhere(members, (member) => member.where({ organizationId }).whereNotIn(column, ids));
    return { added: await addMembers(store, kind, organizationId, ids), removed };
  },
  ...membershipEvent(kind),
  audit: ({ added, removed }: MembershipChange) => ({ added, removed }),
});

const removal = <C extends Column>(kind: MemberKind<C>) => ({
  summary: `Remove ${kind.noun} from an organization`,
  role: 'editor' as const,
  status: 204,
  errors: ['entity.not_found'] satisfies Errors,
  async run({ params, store }: MemberInput<C>) {
    const memberId = params[kind.column];
    await store.remove(kind.members, { organizationId: params.id, ...only(kind.column, memberId) });
    return { added: [], removed: [memberId] };
  },
  ...membershipEvent(kind),
});

export const organizationUsers = [
  operation('GET /organizations/:id/users', {
    summary: 'List the users of an organization with their roles in it',
    role: 'viewer',
    status: 200,
    query: optional({ q: Type.String({ description: 'Text to search for in id, name, username, email and phone' }) }),
    returns: Type.Array(Type.Object({ ...User.properties, ...RolesOfMember })),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('organizations', { id });
      const members = store.from('organizationUsers').where({ organizationId: id }).select('userId');
      const matching = containing(store, ['id', 'name', 'username', 'primaryEmail', 'primaryPhone'], query.q);
      const where: Condition = (users) => users.whereIn('id', members).where(matching);
      return mapped(await list(store, 'users', { page, order: newestFirst, where }), async (rows) =>
        withOrganizationRoles(store, USERS, id, await userViews(store, rows)),
      );
    },
  }),
  operation('POST /organizations/:id/users', addition(USERS)),
  operation('PUT /organizations/:id/users', replacement(USERS)),
  operation('DELETE /organizations/:id/users/:userId', removal(USERS)),
];

export const organizationApplications = [
  operation('GET /organizations/:id/applications', {
    summary: 'List the machine-to-machine applications of an organization with their roles in it',
    role: 'viewer',
    status: 200,
    query: TextQuery,
    returns: Type.Array(Type.Object({ ...Application.properties, ...RolesOfMember })),
    paginated: 'always',
    errors: ['entity.not_exists_with_id'],
    async run({ params: { id }, query, page, store }) {
      await store.get('organizations', { id });
      const members = store.from('organizationApplications').where({ organizationId: id }).select('applicationId');
      const matching = containing(store, TEXTS, query.q);
      const where: Condition = (applications) => applications.whereIn('id', members).where(matching);
      return mapped(await list(store, 'applications', { page, order: newestFirst, where }), (rows) =>
        withOrganizationRoles(store, APPLICATIONS, id, rows),
      );
    },
  }),
  operation('POST /organizations/:id/applications', addition(APPLICATIONS)),
  operation('PUT /organizations/:id/applications', replacement(APPLICATIONS)),
  operation('DELETE /organizations/:id/applications/:applicationId', removal(APPLICATIONS)),
];
