import { randomUUID } from 'node:crypto';
import express from 'express';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/**
 * A minimal server that responds to a token request with the same token: Express, jose and one key in memory. It has no
 * database and checks only the grant type. The baseline for our token endpoint.
 */
const { privateKey, publicKey } = await generateKeyPair('ES256');
const { x: kid = '' } = await exportJWK(publicKey);
const port = Number(process.env.PORT);
const issuer = `http://localhost:${port}/oidc`;
const LIFETIME_SECONDS = 3600;

const app = express().disable('x-powered-by').disable('etag');

app.get('/readyz', (_request, response) => void response.end());

app.post('/oidc/token', express.urlencoded({ extended: false }), async (request, response) => {
  const { grant_type, client_id, resource, scope = '', subject_token, actor_token } = request.body;
  const exchange = grant_type === 'urn:ietf:params:oauth:grant-type:token-exchange';
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    jti: randomUUID(),
    sub: exchange ? subject_token : client_id,
    iat: now,
    exp: now + LIFETIME_SECONDS,
    scope,
    client_id,
    iss: issuer,
    aud: resource,
    ...(actor_token && { act: { sub: actor_token } }),
  };
  const access_token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
    .sign(privateKey);
  response.set('cache-control', 'no-store').json({
    access_token,
    ...(exchange && { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }),
    token_type: 'Bearer',
    expires_in: LIFETIME_SECONDS,
    scope,
  });
});

app.listen(port);
