import Type, { type Static, type TSchema } from 'typebox';
import { Organization, OrganizationRole, OrganizationScope, Role, Scope, User } from '../entities.ts';

interface EventKind {
  /** The change, as a sentence without a full stop. */
  summary: string;
  /** Schema of `data`. Events without one have their ids in `params`. */
  data?: TSchema;
}

const kinds = {
  PostRegister: { summary: 'A user registered' },
  PostSignIn: { summary: 'A user signed in' },
  PostResetPassword: { summary: 'A user reset their password' },
  'User.Created': { summary: 'A user was created', data: User },
  'User.Deleted': { summary: 'A user was deleted', data: User },
  'User.Data.Updated': { summary: 'The data of a user changed', data: User },
  'User.SuspensionStatus.Updated': { summary: 'A user was suspended or reactivated', data: User },
  'Role.Created': { summary: 'A role was created', data: Role },
  'Role.Deleted': { summary: 'A role was deleted' },
  'Role.Data.Updated': { summary: 'The data of a role changed', data: Role },
  'Role.Scopes.Updated': { summary: 'The scopes of a role changed', data: Type.Array(Scope) },
  'Scope.Created': { summary: 'A scope was created', data: Scope },
  'Scope.Deleted': { summary: 'A scope was deleted' },
  'Scope.Data.Updated': { summary: 'The data of a scope changed', data: Scope },
  'Organization.Created': { summary: 'An organization was created', data: Organization },
  'Organization.Deleted': { summary: 'An organization was deleted' },
  'Organization.Data.Updated': { summary: 'The data of an organization changed', data: Organization },
  'Organization.Membership.Updated': { summary: 'Members of an organization were added or removed' },
  'OrganizationRole.Created': { summary: 'An organization role was created', data: OrganizationRole },
  'OrganizationRole.Deleted': { summary: 'An organization role was deleted' },
  'OrganizationRole.Data.Updated': { summary: 'The data of an organization role changed', data: OrganizationRole },
  'OrganizationRole.Scopes.Updated': { summary: 'The scopes of an organization role changed' },
  'OrganizationScope.Created': { summary: 'An organization scope was created', data: OrganizationScope },
  'OrganizationScope.Deleted': { summary: 'An organization scope was deleted' },
  'OrganizationScope.Data.Updated': { summary: 'The data of an organization scope changed', data: OrganizationScope },
} satisfies Record<string, EventKind>;

export type EventType = keyof typeof kinds;

/** The type of an event's `data`. Anything for an event without one. */
export type EventData<E extends EventType> = (typeof kinds)[E] extends { data: infer Data extends TSchema }
  ? Static<Data>
  : unknown;

/** All event types, with the schema of their `data`. */
export const catalogue: Readonly<Record<EventType, EventKind>> = kinds;
export const eventTypes = Object.keys(kinds) as EventType[];

/** Events of the compatible API that are never sent. Accepted, so that webhooks can be migrated as they are. */
export const silentEventTypes = [
  'PostSignInAdaptiveMfaTriggered',
  'Identifier.Lockout',
  'Message.RateLimited',
  'Grant.LimitExceeded',
] as const;
