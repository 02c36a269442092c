import { errors } from 'oidc-provider';
import Type, { type Static } from 'typebox';
import { satisfiesContext } from '../../base/authentication-context.ts';
import { secondsOf } from '../../base/clock.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { EACH_ONCE, Nullable } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import type { ExchangeParties } from '../endpoint/token-request.ts';
import { roleIdsOf } from '../resources/resource-servers.ts';
import type { Actor } from './actor-token.ts';
import type { Subject } from './find-subject.ts';

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { [EACH_ONCE]: true, maxItems: 100 });

/** A tenant's rules for impersonation, in addition to the checks in the integrator's backend. */
export const ImpersonationPolicy = Type.Object({
  subjectTokenTtl: Type.Integer({
    minimum: 60,
    maximum: 3600,
    description: 'Lifetime of a subject token in seconds',
  }),
  maxTokenTtl: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: 'Maximum lifetime of an impersonation in seconds; null: that of the resource',
    }),
  ),
  requireActor: Type.Boolean({ description: 'Every exchange must carry an actor token' }),
  requiredContextKeys: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
    [EACH_ONCE]: true,
    maxItems: 20,
  }),
  protectedRoleIds: Type.Array(Ids.items, {
    ...Ids,
    description: 'Users with one of these roles cannot be impersonated',
  }),
  allowedActorRoleIds: Type.Array(Ids.items, {
    ...Ids,
    description: 'When not empty, the actor must have one of these roles',
  }),
  allowedActorApplicationIds: Type.Array(Ids.items, {
    ...Ids,
    description:
      'When not empty, the actor token must be issued to one of these applications; never to a third-party one',
  }),
  actorMaxAge: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 2_592_000,
      description: 'Maximum number of seconds since the actor signed in',
    }),
  ),
  requiredAcr: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The actor's sign-in must have this `acr` or a stronger one",
    }),
  ),
  endOnReplay: Type.Boolean({
    description: 'A second use of a subject token ends the impersonation that its first use started',
  }),
  protectAdministrators: Type.Boolean({
    description: 'Administrators of the console cannot be impersonated. True by default.',
  }),
});
export type ImpersonationPolicy = Static<typeof ImpersonationPolicy>;

const DEFAULTS: ImpersonationPolicy = {
  subjectTokenTtl: 600,
  maxTokenTtl: null,
  requireActor: false,
  requiredContextKeys: [],
  protectedRoleIds: [],
  allowedActorRoleIds: [],
  allowedActorApplicationIds: [],
  actorMaxAge: null,
  requiredAcr: null,
  endOnReplay: false,
  protectAdministrators: true,
};

/** Returns the policy with these settings, and the defaults of the others. */
export const policyOf = (settings: object | null | undefined): ImpersonationPolicy => ({ ...DEFAULTS, ...settings });

export const readImpersonationPolicy = async (store: TenantStore): Promise<ImpersonationPolicy> =>
  policyOf((await store.find('configs', { key: 'impersonation' }))?.settings);

/** The policy for an exchange, cached briefly and dropped on write. */
export const cachedImpersonationPolicy = (store: TenantStore, cache: TenantCache): Promise<ImpersonationPolicy> =>
  cache.get(store.tenantId, 'impersonation-policy', () => readImpersonationPolicy(store));

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;

const missingKeys = ({ requiredContextKeys }: ImpersonationPolicy, context: Record<string, unknown>): string[] =>
  requiredContextKeys.filter((key) => !isFilled(context[key]));

const intersects = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((id) => others.includes(id));

/** Applies the policy when a subject token is minted. @throws `impersonation.…` */
export async function checkMint(
  store: TenantStore,
  policy: ImpersonationPolicy,
  { subject, actorId, context }: { subject: Subject; actorId?: string | undefined; context: Record<string, unknown> },
): Promise<void> {
  const keys = missingKeys(policy, context);
  if (keys.length > 0) throw new ServiceError('impersonation.context_required', { data: { keys } });
  if (intersects(subject.roleIds, policy.protectedRoleIds)) throw new ServiceError('impersonation.subject_protected');
  if (policy.protectAdministrators && subject.isAdministrator)
    throw new ServiceError('impersonation.subject_protected', { message: 'The policy protects administrators.' });
  const { allowedActorRoleIds } = policy;
  if (actorId === undefined || allowedActorRoleIds.length === 0) return;
  if (!intersects(await roleIdsOf(store, actorId), allowedActorRoleIds))
    throw new ServiceError('impersonation.actor_not_allowed');
}

const refuse = (reason: string) => new errors.InvalidRequest(`impersonation policy: ${reason}`);

/** Checks how long ago and how strongly the actor signed in, the two conditions of RFC 9470. */
function checkSignIn({ actorMaxAge, requiredAcr }: ImpersonationPolicy, { session }: Actor, now: number): void {
  if (actorMaxAge === null && requiredAcr === null) return;
  if (!session) throw refuse('the actor is no longer signed in');
  if (actorMaxAge !== null && secondsOf(now) - (session.loginTs ?? 0) > actorMaxAge)
    throw refuse(`the actor must have signed in within ${actorMaxAge} s`);
  if (requiredAcr !== null && !satisfiesContext(session.acr, requiredAcr))
    throw refuse(`the actor's sign-in must have acr ${requiredAcr}`);
}

/**
 * Applies the policy when a subject token is exchanged: the rules about the actor, and again those checked at minting,
 * because the policy or the roles may have changed. A refusal leaves the subject token unspent. The rules about roles,
 * administrators and the actor's application are checked once more by the statement that spends the token, because the
 * claims script runs in between.
 */
export async function checkExchange(
  store: TenantStore,
  policy: ImpersonationPolicy,
  { subjectToken, actor }: ExchangeParties,
  now: number,
): Promise<void> {
  const keys = missingKeys(policy, subjectToken.context);
  if (keys.length > 0) throw refuse(`the context lacks ${keys.join(', ')}`);
  if (intersects(subjectToken.roleIds, policy.protectedRoleIds)) throw refuse('the subject has a protected role');
  if (policy.protectAdministrators && subjectToken.isSubjectAdministrator)
    throw refuse('the subject is an administrator');

  const { allowedActorRoleIds, allowedActorApplicationIds } = policy;
  const isActorRequired =
    policy.requireActor ||
    allowedActorRoleIds.length > 0 ||
    allowedActorApplicationIds.length > 0 ||
    policy.actorMaxAge !== null ||
    policy.requiredAcr !== null;
  if (!actor) {
    if (isActorRequired) throw refuse('an actor token is required');
    return;
  }
  if (allowedActorApplicationIds.length > 0 && !allowedActorApplicationIds.includes(actor.clientId))
    throw refuse('the actor token was issued to an application that is not allowed');
  if (allowedActorRoleIds.length > 0 && !intersects(await roleIdsOf(store, actor.id), allowedActorRoleIds)) {
    throw refuse('the actor has none of the allowed actor roles');
  }
  checkSignIn(policy, actor, now);
}
