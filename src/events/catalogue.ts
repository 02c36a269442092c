import Type, { type Static, type TSchema } from 'typebox';
import { Organization, OrganizationRole, OrganizationScope, Role, Scope, User } from '../entities.ts';

interface EventKind {
  /** Schema of `data`. Events without one have their ids in `params`. */
  data?: TSchema;
}

const kinds = {
  PostRegister: {},
  PostSignIn: {},
  PostResetPassword: {},
  'User.Created': { data: User },
  'User.Deleted': { data: User },
  'User.Data.Updated': { data: User },
  'User.SuspensionStatus.Updated': { data: User },
  'Role.Created': { data: Role },
  'Role.Deleted': {},
  'Role.Data.Updated': { data: Role },
  'Role.Scopes.Updated': { data: Type.Array(Scope) },
  'Scope.Created': { data: Scope },
  'Scope.Deleted': {},
  'Scope.Data.Updated': { data: Scope },
  'Organization.Created': { data: Organization },
  'Organization.Deleted': {},
  'Organization.Data.Updated': { data: Organization },
  'Organization.Membership.Updated': {},
  'OrganizationRole.Created': { data: OrganizationRole },
  'OrganizationRole.Deleted': {},
  'OrganizationRole.Data.Updated': { data: OrganizationRole },
  'OrganizationRole.Scopes.Updated': {},
  'OrganizationScope.Created': { data: OrganizationScope },
  'OrganizationScope.Deleted': {},
  'OrganizationScope.Data.Updated': { data: OrganizationScope },
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
