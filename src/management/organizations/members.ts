import Type from 'typebox';
import type { Condition, TenantStore } from '../../database/store/tenant-store.ts';
import { Application, User } from '../../entities.ts';
import { userViews } from '../../events/user-view.ts';
import { type Operation, operation } from '../../http/operations/operation.ts';
import { requireMachineApplications } from '../applications/applications.ts';
import { Ids, optional, requireExisting } from '../shared/fields.ts';
import { containing, list, mapped, newestFirst, TEXTS, TextQuery } from '../shared/listing.ts';
import {
  APPLICATIONS,
  type MemberKind,
  memberIdOf,
  RolesOfMember,
  USERS,
  withOrganizationRoles,
} from './memberships.ts';

/** A kind with the parts in which adding and replacing members differ. */
interface MembersKind extends MemberKind {
  /** The members in the summary of the operation that adds them. */
  added: string;
  /** Throws one of `errors` unless all of them can be members. */
  requireAll(store: TenantStore, ids: string[]): Promise<void>;
  errors: NonNullable<Operation['errors']>;
}

const USER_MEMBERS: MembersKind = {
  ...USERS,
  added: 'users',
  requireAll: (store, ids) => requireExisting(store, 'users', { ids, member: 'userIds', status: 422 }),
  errors: [['entity.relation_foreign_key_not_found', 422]],
};

const APPLICATION_MEMBERS: MembersKind = {
  ...APPLICATIONS,
  added: 'machine-to-machine applications',
  requireAll: (store, ids) => requireMachineApplications(store, ids, 422),
  errors: [['entity.relation_foreign_key_not_found', 422], 'entity.db_constraint_violated'],
};

/** The members that a call added and removed. Without any, no event is emitted. */
interface MembershipChange {
  added: string[];
  removed: string[];
}

/** Returns the event of a change of memberships. */
function membershipEvent({ ids }: MemberKind) {
  const field = ids.replace(/^./, (letter) => letter.toUpperCase());
  const eventFields = ({ added, removed }: MembershipChange, { params }: { params: { id: string } }) =>
    (added.length > 0 || removed.length > 0) && {
      organizationId: params.id,
      ...(added.length > 0 && { [`added${field}`]: added }),
      ...(removed.length > 0 && { [`removed${field}`]: removed }),
    };
  return { event: 'Organization.Membership.Updated', eventFields } as const;
}

/** Adds members. Those that are members already are kept. @returns the new ones */
async function addMembers(store: TenantStore, { members, column }: MemberKind, organizationId: string, ids: string[]) {
  const rows = ids.map((id) => ({ organizationId, [column]: id }));
  return (await store.addMissing(members, rows)).map((row) => row[column]);
}

const addition = (route: `POST /organizations/:id/${string}`, kind: MembersKind) =>
  operation(route, {
    summary: `Add ${kind.added} to an organization`,
    description: 'Existing members are kept.',
    status: 201,
    body: Type.Object({ [kind.ids]: Ids() }),
    returns: Type.Object({ [kind.ids]: Type.Array(Type.String()) }),
    errors: ['entity.not_exists_with_id', ...kind.errors],
    async run({ params: { id }, body: { [kind.ids]: ids }, store }) {
      await store.get('organizations', { id });
      await kind.requireAll(store, ids);
      return { [kind.ids]: ids, added: await addMembers(store, kind, id, ids), removed: [] };
    },
    ...membershipEvent(kind),
    audit: ({ added }) => ({ added }),
  });

const replacement = (route: `PUT /organizations/:id/${string}`, kind: MembersKind) =>
  operation(route, {
    summary: `Replace the ${kind.nouns} of an organization`,
    status: 204,
    body: Type.Object({ [kind.ids]: Ids({ least: 0 }) }),
    errors: ['entity.not_exists', ...kind.errors],
    async run({ params: { id: organizationId }, body: { [kind.ids]: ids }, store }) {
      const { members, column } = kind;
      await store.lock('organizations', { id: organizationId });
      await kind.requireAll(store, ids);
      const present = await store.from(members).where({ organizationId }).select(column);
      const wanted = new Set(ids);
      const removed = present.map((row) => row[column]).filter((id) => !wanted.has(id));
      await store.removeWhere(members, (member) => member.where({ organizationId }).whereNotIn(column, ids));
      return { added: await addMembers(store, kind, organizationId, ids), removed };
    },
    ...membershipEvent(kind),
    audit: ({ added, removed }) => ({ added, removed }),
  });

const removal = (route: `DELETE /organizations/:id/${string}`, kind: MemberKind) =>
  operation(route, {
    summary: `Remove ${kind.noun} from an organization`,
    status: 204,
    errors: ['entity.not_found'],
    async run({ params, store }) {
      const memberId = memberIdOf(kind, params);
      await store.remove(kind.members, { organizationId: params.id, [kind.column]: memberId });
      return { added: [], removed: [memberId] };
    },
    ...membershipEvent(kind),
  });

export const organizationUsers = [
  operation('GET /organizations/:id/users', {
    summary: 'List the users of an organization with their roles in it',
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
  addition('POST /organizations/:id/users', USER_MEMBERS),
  replacement('PUT /organizations/:id/users', USER_MEMBERS),
  removal('DELETE /organizations/:id/users/:userId', USERS),
];

export const organizationApplications = [
  operation('GET /organizations/:id/applications', {
    summary: 'List the machine-to-machine applications of an organization with their roles in it',
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
  addition('POST /organizations/:id/applications', APPLICATION_MEMBERS),
  replacement('PUT /organizations/:id/applications', APPLICATION_MEMBERS),
  removal('DELETE /organizations/:id/applications/:applicationId', APPLICATIONS),
];
