import { createHash, randomBytes } from 'node:crypto';
import { Visitor } from '../sign-in/visitor.ts';
import { type Answer, postForm } from './call.ts';
import type { TestService } from './start-service.ts';

/** The redirect URI of test applications. No server listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:1/callback';

/** An application's configuration. A public application has no secret. */
export interface OAuthApplication {
  clientId: string;
  clientSecret: string | undefined;
  redirectUri: string;
}

/** Registers an application with which users sign in. */
export async function registerApplication(
  { api }: Pick<TestService, 'api'>,
  type: 'SPA' | 'Native' | 'Traditional',
  customClientMetadata: Record<string, unknown> = {},
): Promise<OAuthApplication> {
  const oidcClientMetadata = { redirectUris: [REDIRECT_URI], postLogoutRedirectUris: [] };
  const { id } = await api.must('POST /applications', { name: type, type, oidcClientMetadata, customClientMetadata });
  const clientSecret =
    type === 'Traditional' ? (await api.must(`POST /applications/${id}/secrets`, { name: 'test' })).value : undefined;
  return { clientId: id, clientSecret, redirectUri: REDIRECT_URI };
}

/** Calls the token endpoint as an application, with its secret in the header. */
export function askToken(
  { url }: Pick<TestService, 'url'>,
  { clientId, clientSecret }: OAuthApplication,
  form: Record<string, string | string[] | undefined>,
): Promise<Answer> {
  const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
  return clientSecret === undefined
    ? postForm(`${url}/oidc/token`, { client_id: clientId, ...form })
    : postForm(`${url}/oidc/token`, form, { authorization });
}

/** Runs authorization code with PKCE through the real pages. Parameters may be repeated. */
export async function codeGrant(
  service: TestService,
  application: OAuthApplication,
  parameters: Record<string, string | string[]> = {},
  person: { username: string; password: string } = service.credentials.demo.actor,
): Promise<Answer> {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${service.url}/oidc/auth`);
  const query = {
    client_id: application.clientId,
    redirect_uri: application.redirectUri,
    response_type: 'code',
    scope: 'openid offline_access',
    prompt: 'login consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  };
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) url.searchParams.append(name, value);
  const visitor = new Visitor(service.url);
  await visitor.open(url);
  if (!visitor.left) {
    await visitor.submit('identifier', { identifier: person.username });
    await visitor.submit('password', { password: person.password });
  }
  const code = visitor.left?.searchParams.get('code');
  if (!code) throw new Error(`no code at ${visitor.left ?? visitor.page?.text}`);
  return askToken(service, application, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    code_verifier: verifier,
  });
}
