import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { signIn } from '../../scripts/support/sign-in.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from '../../src/tokens/urns.ts';
import { type Answer, postForm } from './call.ts';
import type { TestService } from './start-service.ts';

/** The roles in a test: alice is the support engineer, bob the customer, and both use one application. */
export interface Cast {
  alice: { id: string; username: string; password: string };
  bob: { id: string };
  /** The public application: users sign in to it, and it performs the exchange. */
  spa: {
    clientId: string;
    /** Signs a user in. Returns an opaque access token with `openid`, which can be an actor token. */
    signIn(person: { username: string; password: string }, scope?: string): Promise<string>;
    exchange(parameters: Record<string, string | string[] | undefined>): Promise<Answer>;
  };
  resource: string;
  scope: string;
  /** Mints a subject token for bob. */
  mint(besides?: Record<string, unknown>): Promise<string>;
}

/** Returns the demonstration's users and application with helpers to use them. */
export function castOf({ url, api, credentials: { demo } }: Pick<TestService, 'url' | 'api' | 'credentials'>): Cast {
  const { clientId, redirectUri, resource, scope, actor, subject } = demo;
  return {
    alice: actor,
    bob: subject,
    resource,
    scope,
    spa: {
      clientId,
      async signIn(person, requested = 'openid profile') {
        const { tokens } = await signIn({ endpoint: url, clientId, redirectUri, person, scope: requested });
        return tokens.access_token;
      },
      exchange: (parameters) =>
        postForm(`${url}/oidc/token`, {
          grant_type: TOKEN_EXCHANGE,
          client_id: clientId,
          subject_token_type: ACCESS_TOKEN,
          ...(parameters.actor_token !== undefined && { actor_token_type: ACCESS_TOKEN }),
          resource,
          scope,
          ...parameters,
        }),
    },
    async mint(besides = {}) {
      const { subjectToken } = await api.must('POST /subject-tokens', { userId: subject.id, ...besides });
      return subjectToken;
    },
  };
}

/**
 * Verifies a token like a resource server: signature with the published keys, `typ`, issuer and audience (RFC 9068 §4).
 */
export async function verifyAccessToken(
  { url }: { url: string },
  token: string,
  audience: string,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${url}/oidc/jwks`)), {
    typ: 'at+jwt',
    issuer: `${url}/oidc`,
    audience,
    requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id'],
  });
  return payload;
}
