import { errors } from 'oidc-provider';
import type { Clock } from '../../base/clock.ts';
import { newOrderedId } from '../../base/ids.ts';
import type { TenantCache } from '../../database/notices/tenant-cache.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { JwtAccessTokens } from '../access-tokens/jwt-access-token.ts';
import {
  type ExchangeParties,
  type GrantType,
  type IssuedToken,
  type TokenRequest,
  withParties,
} from '../endpoint/token-request.ts';
import { grantedScopes } from '../resources/resource-servers.ts';
import { type Targets, type UserTarget, userTarget } from '../resources/user-target.ts';
import { endImpersonations } from '../revocation/end-access.ts';
import { ACCESS_TOKEN, IMPERSONATION_TOKEN, TOKEN_EXCHANGE } from '../urns.ts';
import type { ActorTokens } from './actor-token.ts';
import type { FoundSubjectToken } from './find-subject-token.ts';
import { cachedImpersonationPolicy, checkExchange, readImpersonationPolicy } from './impersonation-policy.ts';
import type { Spend, spendQueue } from './spend-queue.ts';
import { findSubjectToken, refusalOf } from './subject-tokens.ts';

export interface ExchangeCollaborators extends Targets {
  store: TenantStore;
  cache: TenantCache;
  clock: Clock;
  accessTokens: JwtAccessTokens;
  spends: ReturnType<typeof spendQueue>;
  actorTokens: ActorTokens;
}

const PARAMETERS = [
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

/** Checks the parameters of RFC 8693 §2.1. A bad token is `invalid_request`, a bad target `invalid_target` (§2.2.2). */
function parametersOf(params: TokenRequest['params']): ExchangeParameters {
  const { subject_token: subjectToken, scope, resource, organization_id: organizationId } = params;
  if (subjectToken === undefined) throw new errors.InvalidRequest('subject_token is required');
  if (!SUBJECT_TOKEN_TYPES.includes(params.subject_token_type ?? '')) {
    throw new errors.InvalidRequest(`subject_token_type must be ${ACCESS_TOKEN}`);
  }
  if ((params.requested_token_type ?? ACCESS_TOKEN) !== ACCESS_TOKEN) {
    throw new errors.InvalidRequest(`requested_token_type must be ${ACCESS_TOKEN}`);
  }
  if (params.audience !== undefined) throw new errors.InvalidTarget('audience is not supported; use resource');
  if (resource === undefined && organizationId === undefined) {
    throw new errors.InvalidTarget('resource or organization_id is required: the issued token is bound to it');
  }
  return { subjectToken, scope, resource, organizationId };
}

/** Checks the binding of a subject token to an application, a resource and an actor, chosen when it was minted. */
function checkBinding(
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

/** Ends the impersonation of a subject token that is sent again after it was spent, if the tenant's policy says so. */
async function endOnReplay(
  { store, cache, clock }: ExchangeCollaborators,
  { id, userId }: FoundSubjectToken,
): Promise<void> {
  if (!(await cachedImpersonationPolicy(store, cache)).endOnReplay) return;
  await store.transaction((store) =>
    // The search includes the subject because of its index. Anyone with a spent token can trigger it.
    endImpersonations(store, (row) => row.where({ subjectId: userId, subjectTokenId: id }), {
      by: 'policy',
      reason: 'replayed',
      now: clock(),
    }),
  );
}

/**
 * The token exchange grant: exchanges a subject token for an access token of the subject.
 *
 * The order is check, sign, spend, respond. The access token is signed before the subject token is spent, so a failing
 * claims script leaves the subject token usable. It is sent only after the spend, so one of several parallel requests
 * succeeds.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1 RFC 8693 §2.1, request}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693.html#section-4.1 RFC 8693 §4.1, the `act` claim}
 */
export function tokenExchange(collaborators: ExchangeCollaborators): GrantType {
  const { store, cache, clock, accessTokens, spends, actorTokens } = collaborators;

  /** The end of an exchange: checks who may act as whom, signs the access token and spends the subject token. */
  async function impersonate(
    { client: { client_id: clientId }, secretName, facts }: TokenRequest,
    parameters: ExchangeParameters,
    exchange: ExchangeParties,
    { audience, ttl, held }: UserTarget,
    spend: Spend,
  ): Promise<IssuedToken> {
    const { subjectToken, actor } = exchange;
    const scope = grantedScopes(parameters.scope, held);
    if (actor?.id === subjectToken.userId) throw new errors.InvalidRequest('actor and subject are the same user');
    const policy = await cachedImpersonationPolicy(store, cache);
    checkBinding(subjectToken, clientId, parameters.resource, actor?.id);
    await checkExchange(store, policy, exchange, clock());

    const lifetime = Math.min(ttl, policy.maxTokenTtl ?? ttl);
    // Also the id of the impersonation, whose rows are listed in this order.
    const jti = newOrderedId(clock());
    const { jwt, expiresAt } = await accessTokens.issue(
      {
        jti,
        kind: 'AccessToken',
        clientId,
        accountId: subjectToken.userId,
        aud: audience,
        scope,
        grantId: subjectToken.id,
        gty: TOKEN_EXCHANGE,
        organizationId: parameters.organizationId,
        exchange,
      },
      lifetime,
    );

    const isSpent = await spend({
      tokenHash: subjectToken.tokenHash,
      actorApplicationId: actor?.clientId ?? null,
      impersonation: {
        id: jti,
        subjectTokenId: subjectToken.id,
        subjectId: subjectToken.userId,
        actorId: actor?.id ?? null,
        applicationId: clientId,
        resource: parameters.resource ?? null,
        organizationId: parameters.organizationId ?? null,
        scope,
        context: subjectToken.context,
        ip: facts.ip ?? null,
        userAgent: facts.userAgent ?? null,
        issuedAt: clock(),
        expiresAt,
      },
      requestId: facts.requestId,
      secretName,
    });
    if (!isSpent) {
      // Report why: since the checks the token was spent or revoked, a user suspended, or the policy changed.
      const found = await findSubjectToken(store, parameters.subjectToken);
      const refusal = found && refusalOf(found, clock());
      if (found && refusal === undefined)
        await checkExchange(store, await readImpersonationPolicy(store), { subjectToken: found, actor }, clock());
      throw new errors.InvalidRequest(refusal ?? 'actor token is not valid');
    }

    const response = {
      access_token: jwt,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: lifetime,
      scope,
    } as const;
    return { response, audience };
  }

  return {
    parameters: PARAMETERS,

    // All of it runs in the queue, because a batch of spends waits for the exchanges that are in progress.
    issue: (request) =>
      spends.run(async (spend) => {
        const parameters = parametersOf(request.params);
        // Read beside the subject token, whose refusals come first.
        const verifying = actorTokens.verify(request.form);
        verifying.catch(() => {});
        const subjectToken = await findSubjectToken(store, parameters.subjectToken);
        if (!subjectToken) throw new errors.InvalidRequest('subject token is unknown');
        const parties = { userId: subjectToken.userId, subjectToken };
        return withParties(parties, async () => {
          const refusal = refusalOf(subjectToken, clock());
          if (subjectToken.spentAt !== null) await endOnReplay(collaborators, subjectToken);
          if (refusal !== undefined) throw new errors.InvalidRequest(refusal);
          const target = await userTarget(collaborators, { ...subjectToken, who: 'subject' }, parameters);
          const exchange = { ...parties, actor: await verifying };
          return withParties(exchange, () => impersonate(request, parameters, exchange, target, spend));
        });
      }),
  };
}
