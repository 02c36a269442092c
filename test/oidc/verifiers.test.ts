import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JwtVerifier } from 'aws-jwt-verify';
import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import { createVerifier } from 'fast-jwt';
import jsonwebtoken from 'jsonwebtoken';
import { JwksClient } from 'jwks-rsa';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../support/call.ts';
import { type Cast, castOf, verifyAccessToken } from '../support/cast.ts';
import { startService, type TestService } from '../support/start-service.ts';

/** Third-party verifiers of resource servers accept an impersonation token with the default algorithm. */
describe('an access token is accepted by', () => {
  let service: TestService;
  let cast: Cast;
  let token: string;
  let issuer: string;
  beforeAll(async () => {
    service = await startService('sqlite');
    cast = castOf(service);
    issuer = `${service.url}/oidc`;
    const actor = await cast.spa.signIn(cast.alice);
    token = (await cast.spa.exchange({ subject_token: await cast.mint(), actor_token: actor })).body.access_token;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const expected = () => ({ sub: cast.bob.id, act: { sub: cast.alice.id }, aud: cast.resource });
  const broken = () => `${token.slice(0, -6)}AAAAAA`;

  it('jose', async () => {
    expect(await verifyAccessToken(service, token, cast.resource)).toMatchObject(expected());
    await expect(verifyAccessToken(service, broken(), cast.resource)).rejects.toThrow();
  });

  it('oauth4webapi', async () => {
    const server = await getJson(`${issuer}/.well-known/openid-configuration`);
    const ask = (bearer: string) =>
      oauth.validateJwtAccessToken(
        server,
        new Request('https://rs.example', { headers: { authorization: `Bearer ${bearer}` } }),
        cast.resource,
        {
          [oauth.allowInsecureRequests]: true,
        },
      );
    expect(await ask(token)).toMatchObject(expected());
    await expect(ask(broken())).rejects.toThrow();
  });

  it('express-oauth2-jwt-bearer in its strict RFC 9068 mode', async () => {
    const app = express();
    app.use(
      auth({ issuerBaseURL: issuer, audience: cast.resource, strict: true }),
      (request, response) => void response.json(request.auth?.payload),
    );
    const server = createServer(app);
    await new Promise<void>((ready) => server.listen(0, ready));
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    expect(await getJson(url, { authorization: `Bearer ${token}` })).toMatchObject(expected());
    expect((await fetch(url, { headers: { authorization: `Bearer ${broken()}` } })).status).toBe(401);
    server.close();
  });

  it('jsonwebtoken with jwks-rsa', async () => {
    const client = new JwksClient({ jwksUri: `${issuer}/jwks` });
    const { header } = jsonwebtoken.decode(token, { complete: true }) as jsonwebtoken.Jwt;
    const key = (await client.getSigningKey(header.kid)).getPublicKey();
    const options = { algorithms: ['ES256' as const], issuer, audience: cast.resource };
    expect(jsonwebtoken.verify(token, key, options)).toMatchObject(expected());
    expect(() => jsonwebtoken.verify(broken(), key, options)).toThrow();
  });

  it('aws-jwt-verify', async () => {
    const verifier = JwtVerifier.create({ issuer, audience: cast.resource, jwksUri: `${issuer}/jwks` });
    verifier.cacheJwks(await getJson(`${issuer}/jwks`)); // aws-jwt-verify fetches only over HTTPS.
    expect(await verifier.verify(token)).toMatchObject(expected());
    await expect(verifier.verify(broken())).rejects.toThrow();
  });

  it('fast-jwt', async () => {
    const client = new JwksClient({ jwksUri: `${issuer}/jwks` });
    const [key] = await client.getSigningKeys();
    const verify = createVerifier({
      key: key?.getPublicKey() as string,
      algorithms: ['ES256'],
      allowedIss: issuer,
      allowedAud: cast.resource,
    });
    expect(verify(token)).toMatchObject(expected());
    expect(() => verify(broken())).toThrow();
  });
});
