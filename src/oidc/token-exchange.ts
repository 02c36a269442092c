import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type Clock, secondsOf } from '../clock.ts';
import type { FoundSubjectToken } from '../database/statements/find-subject-token.ts';
import type { TenantCache } from '../database/tenant-cache.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { newOrderedId } from '../ids.ts';
import { verifyActorToken } from './actor-token.ts';
import { endImpersonations } from './end-access.ts';
import { beginExchange } from './exchange.ts';
import { cachedImpersonationPolicy, checkExchange } from './impersonation-policy.ts';
import { grantedScopes, organizationAudience, type ResourceServers, resourceServerInfo } from './resource-servers.ts';
import type { SpendQueue } from './spend.ts';
import { findSubjectToken, refusalOf } from './subject-tokens.ts';
import { impersonationOf } from './token-claims.ts';
import { ACCESS_TOKEN, IMPERSONATION_TOKEN, TOKEN_EXCHANGE } from './urns.ts';

export interface ExchangeCollaborators {
  store: TenantStore;
  cache: TenantCache;
  clock: Clock;
  resourceServers: ResourceServers;
  spends: SpendQueue;
  algorithm: string;
}

/** Also what the library lets through to the handler. */
export const EXCHANGE_PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'actor_token',
  'actor_token_type',
  'resource',
  'scope',
  'organization_id',
  'requested_token_type',
  'audience',
];

const SUBJECT_TOKEN_TYPES = [ACCESS_TOKEN, IMPERSONATION_TOKEN];

interface ExchangeParameters {
  subjectToken: string;
  scope: string | undefined;
  resource: string | undefined;
  organizationId: string | undefined;
}

/** RFC 8693 §2.1. What is wrong with a token is `invalid_request`, with the target `invalid_target` (§2.2.2). */
function parametersOf(params: Record<string, unknown>): ExchangeParameters {
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : undefined);
  const subjectToken = text('subject_token');
  if (subjectToken === undefined) throw new errors.InvalidRequest('subject_token is required');
  if (!SUBJECT_TOKEN_TYPES.includes(text('subject_token_type') ?? '')) {
    throw new errors.InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN}`);
  }
  if ((text('requested_token_type') ?? ACCESS_TOKEN) !== ACCESS_TOKEN) {
    throw new errors.InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN}`);
  }
  if (text('audience') !== undefined)
    throw new errors.InvalidTarget('audience is not supported; name the resource in resource');
  if (Array.isArray(params.resource)) throw new errors.InvalidTarget('only one resource can be named');

  const [resource, organizationId] = [text('resource'), text('organization_id')];
  if (resource === undefined && organizationId === undefined) {
    throw new errors.InvalidTarget('resource or organization_id is required: the token is bound to what it names');
  }
  return { subjectToken, scope: text('scope'), resource, organizationId };
}

/** What the token is for, and the scopes the subject holds on it. */
async function resolveTarget(
  { resourceServers, algorithm }: ExchangeCollaborators,
  { userId, roleIds }: FoundSubjectToken,
  { resource, organizationId }: ExchangeParameters,
) {
  let held: string[] = [];
  if (organizationId !== undefined) {
    const organizationScopes = await resourceServers.organizationScopesOfUser(userId, organizationId);
    if (!organizationScopes) {
      throw Object.assign(new errors.AccessDenied('the subject is not a member of the organization'), {
        statusCode: 403,
      });
    }
    held = organizationScopes;
    if (resource === undefined) {
      const audience = organizationAudience(organizationId);
      return { identifier: audience, held, info: resourceServerInfo({ audience, scope: held.join(' '), algorithm }) };
    }
  }

  const known = await resourceServers.find(resource as string);
  // The Management API is for machines: nobody reaches it by acting as someone.
  if (!known || known.isForMachines) throw new errors.InvalidTarget('resource is not registered, or not open to users');
  held = await resourceServers.scopesOfUser({ userId, roleIds }, known.id, organizationId);
  const info = resourceServerInfo({
    audience: known.indicator,
    scope: held.join(' '),
    ttl: known.accessTokenTtl,
    algorithm,
  });
  return { identifier: known.indicator, held, info };
}

/** A subject token can be bound at creation to an application, an actor and a resource. */
function refuseOtherBinding(
  token: FoundSubjectToken,
  clientId: string,
  resource: string | undefined,
  actorId: string | undefined,
): void {
  if (token.clientId !== null && token.clientId !== clientId)
    throw new errors.InvalidRequest('subject token is bound to another application');
  if (token.resource !== null && token.resource !== resource)
    throw new errors.InvalidTarget('subject token is bound to another resource');
  if (token.actorId !== null && token.actorId !== actorId)
    throw new errors.InvalidRequest('subject token is bound to another actor');
}

/** Somebody sends a subject token that was used before: by choice of the tenant that ends what its first use began. */
async function endOnReplay({ store, cache, clock }: ExchangeCollaborators, { id }: FoundSubjectToken): Promise<void> {
  if (!(await cachedImpersonationPolicy(store, cache)).endOnReplay) return;
  await store.transaction((store) =>
    endImpersonations(store, (row) => row.where({ subjectTokenId: id }), {
      by: 'policy',
      reason: 'replayed',
      now: clock(),
    }),
  );
}

/**
 * Impersonation: a subject token goes in, an access token of the subject comes out.
 *
 * Sign, spend, answer. The access token is signed before the subject token is spent and leaves the
 * process only after: a failing claims script costs nothing, and of two racing requests one wins.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1 RFC 8693 §2.1, request}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-4.1 RFC 8693 §4.1, the `act` claim}
 */
export function tokenExchange(collaborators: ExchangeCollaborators) {
  const { store, cache, clock, spends } = collaborators;

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { client, params = {}, provider } = ctx.oidc;
    if (!client) throw new errors.InvalidClient('client is not authenticated');
    const parameters = parametersOf(params);

    const subjectToken = await findSubjectToken(store, parameters.subjectToken);
    if (!subjectToken) throw new errors.InvalidRequest('subject token is unknown');
    const exchange = beginExchange(ctx, { subjectToken, organizationId: parameters.organizationId });
    const refusal = refusalOf(subjectToken, clock());
    if (subjectToken.spentAt !== null) await endOnReplay(collaborators, subjectToken);
    if (refusal !== undefined) throw new errors.InvalidRequest(refusal);

    const { identifier, held, info } = await resolveTarget(collaborators, subjectToken, parameters);
    const scope = grantedScopes(parameters.scope, held);

    const actor = await verifyActorToken(ctx, store);
    exchange.actor = actor;
    if (actor?.id === subjectToken.userId) throw new errors.InvalidRequest('actor and subject are the same person');
    const policy = await cachedImpersonationPolicy(store, cache);
    refuseOtherBinding(subjectToken, client.clientId, parameters.resource, actor?.id);
    await checkExchange(ctx, store, policy, subjectToken, actor);

    const accessToken = new provider.AccessToken({
      client,
      accountId: subjectToken.userId,
      scope,
      gty: TOKEN_EXCHANGE,
      grantId: subjectToken.id,
    } as never);
    const accessTokenTTL = Math.min(info.accessTokenTTL, policy.maxTokenTtl ?? info.accessTokenTTL);
    accessToken.resourceServer = new provider.ResourceServer(identifier, { ...info, accessTokenTTL });
    // Also the id of the impersonation, a row of a log. Where the library makes the id, it looks up the format too.
    Object.assign(accessToken, { jti: newOrderedId(clock()), format: 'jwt' });
    accessToken.iat = secondsOf(clock());
    accessToken.exp = accessToken.iat + accessToken.expiration;
    const jwt = await accessToken.save();

    if (!(await spends.spend(impersonationOf(ctx, accessToken, exchange, clock())))) {
      // Lost a race, was revoked, or a person was suspended while the script ran: say which.
      const found = await findSubjectToken(store, parameters.subjectToken);
      throw new errors.InvalidRequest((found && refusalOf(found, clock())) ?? 'actor token is not valid');
    }

    ctx.body = {
      access_token: jwt,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: accessToken.expiration,
      scope,
    };
  };
}
