import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { TestService } from '../support/start-service.ts';
import type { Visitor } from './visitor.ts';

type Claims = Record<string, unknown>;

/** A company's identity provider. Every request is signed in at once, with `claims`. */
export class Issuer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  claims: Claims = {};
  /** Claims of its userinfo endpoint apart from `sub`. Undefined: it has no such endpoint. */
  info: Claims | undefined;
  /** How clients can authenticate. Undefined: its metadata does not say. */
  authMethods: string[] | undefined;
  /** Client secret of the last token request, with where it was. */
  given: { header: string | undefined; body: string | null } | undefined;
  /** Parameters of the last authorization request. */
  asked = new URLSearchParams();

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(): Promise<Issuer> {
    const { publicKey, privateKey } = await generateKeyPair('RS256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new Issuer(server, url);
    const answers: Record<string, () => Promise<unknown>> = {
      '/.well-known/openid-configuration': async () => ({
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        ...(issuer.info && { userinfo_endpoint: `${url}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: issuer.authMethods,
      }),
      '/userinfo': async () => ({ sub: issuer.claims.sub, ...issuer.info }),
      '/jwks': async () => ({ keys: [jwk] }),
      '/token': async () => ({
        access_token: 'x',
        token_type: 'bearer',
        expires_in: 60,
        id_token: await new SignJWT({ nonce: issuer.asked.get('nonce'), ...issuer.claims })
          .setProtectedHeader({ alg: 'RS256', kid: 'k' })
          .setIssuer(url)
          .setAudience('understudy')
          .setIssuedAt()
          .setExpirationTime('1m')
          .sign(privateKey),
      }),
    };
    server.on('request', async (request, response) => {
      const { pathname, searchParams } = new URL(String(request.url), url);
      if (pathname === '/auth') {
        issuer.asked = searchParams;
        const back = new URL(String(searchParams.get('redirect_uri')));
        back.search = String(new URLSearchParams({ code: 'c', state: String(searchParams.get('state')) }));
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      if (pathname === '/token') {
        const { authorization: header } = request.headers;
        issuer.given = { header, body: new URLSearchParams(await text(request)).get('client_secret') };
      }
      const body = await answers[pathname]?.();
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    return issuer;
  }

  /** Creates a connector to it, by default for single sign-on of `corp.example`. */
  connect({ api }: Pick<TestService, 'api'>, fields: Claims = {}) {
    return api.must('POST /connectors', {
      target: 'corp',
      name: 'Corp ID',
      issuer: this.url,
      clientId: 'understudy',
      clientSecret: 'secret',
      domains: ['corp.example'],
      ...fields,
    });
  }

  /** Follows the redirect to the provider and back to the service. */
  async through(visitor: Visitor) {
    const answer = await fetch(visitor.left as URL, { redirect: 'manual' });
    visitor.left = undefined;
    return visitor.open(String(answer.headers.get('location')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
