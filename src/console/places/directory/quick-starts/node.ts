import { isInsecure, type Language, literal, SIGN_IN_SCOPE, type Start } from './start.ts';

const INSTALL = 'npm install openid-client';

/** `openid-client` with the arguments of this application. @param authentication how the application proves itself */
export function discovery(start: Start, authentication: 'secret' | 'none'): string {
  const lines = [`new URL(${literal(start.issuer)})`, literal(start.clientId)];
  if (authentication === 'secret') lines.push('process.env.CLIENT_SECRET');
  else lines.push('undefined', 'client.None()');
  if (isInsecure(start)) {
    if (authentication === 'secret') lines.push('undefined');
    lines.push('{ execute: [client.allowInsecureRequests] }'); // The issuer has no TLS.
  }
  return `await client.discovery(\n${lines.map((line) => `  ${line},\n`).join('')})`;
}

/** The parameters of the authorization request, with `codeVerifier` and `state` as variables. */
export const authorization = (indent: string): string =>
  [
    '{',
    '  redirect_uri: redirectUri,',
    `  scope: ${literal(SIGN_IN_SCOPE)},`,
    '  state,',
    '  code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),',
    "  code_challenge_method: 'S256',",
    '}',
  ].join(`\n${indent}`);

const web = (start: Start): string => `import { createServer } from 'node:http';
import * as client from 'openid-client';

const redirectUri = ${literal(start.redirectUri)};
const config = ${discovery(start, 'secret')};

/** Sends the browser to sign in. The cookie ties the answer to this browser. */
async function signIn(response) {
  const codeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const location = client.buildAuthorizationUrl(config, ${authorization('  ')});
  const cookie = \`sign-in=\${state}.\${codeVerifier}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600\`;
  response.writeHead(302, { location: location.href, 'set-cookie': cookie }).end();
}

/** The browser returns with a code, which is exchanged for tokens. */
async function finish(request, response) {
  const [, state, codeVerifier] = /sign-in=([^.;]+)\\.([^;]+)/.exec(request.headers.cookie) ?? [];
  const tokens = await client.authorizationCodeGrant(config, new URL(request.url, redirectUri), {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  });
  response.end(\`Signed in as \${tokens.claims().sub}\`);
}

const { pathname, port } = new URL(redirectUri);
createServer(async (request, response) => {
  try {
    if (new URL(request.url, redirectUri).pathname === pathname) await finish(request, response);
    else await signIn(response);
  } catch (error) {
    console.error(error);
    response.writeHead(400).end('The sign-in failed.');
  }
}).listen(Number(port) || 3000, () => console.log('Open', new URL('/sign-in', redirectUri).href));
`;

const native = (start: Start): string => `import { once } from 'node:events';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const redirectUri = ${literal(start.redirectUri)};
const config = ${discovery(start, 'none')};

const codeVerifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const { hostname, port } = new URL(redirectUri);
const server = createServer().listen(Number(port) || 80, hostname);
const location = client.buildAuthorizationUrl(config, ${authorization('')});
console.log('Open', location.href);

const [request, response] = await once(server, 'request');
response.end('You can close this window.');
server.close();
const tokens = await client.authorizationCodeGrant(config, new URL(request.url, redirectUri), {
  expectedState: state,
  pkceCodeVerifier: codeVerifier,
});
console.log('Signed in as', tokens.claims().sub);
`;

const machine = (start: Start): string => `import * as client from 'openid-client';

const config = ${discovery(start, 'secret')};
const tokens = await client.clientCredentialsGrant(config, {
  resource: ${literal(start.resource)},
  scope: ${literal(start.scope)},
});
console.log(tokens.access_token);
`;

const run = (file: string, code: string, needsSecret: boolean) => ({
  install: INSTALL,
  blocks: [{ file, code }, { code: `${needsSecret ? 'CLIENT_SECRET=… ' : ''}node ${file}` }],
});

export const node: Language = {
  id: 'node',
  name: 'Node.js',
  snippets: {
    Traditional: (start) => run('server.mjs', web(start), true),
    Native: (start) => run('sign-in.mjs', native(start), false),
    MachineToMachine: (start) => run('token.mjs', machine(start), true),
  },
};

const page = (start: Start): string => `import * as client from 'openid-client';

const redirectUri = ${literal(start.redirectUri)};
const config = ${discovery(start, 'none')};

/** Sends the browser to sign in. */
export async function signIn() {
  const codeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  sessionStorage.setItem('sign-in', JSON.stringify({ codeVerifier, state }));
  location.assign(client.buildAuthorizationUrl(config, ${authorization('  ')}));
}

/** Call it on the page of the redirect URI. */
export async function finishSignIn() {
  const { codeVerifier, state } = JSON.parse(sessionStorage.getItem('sign-in'));
  sessionStorage.removeItem('sign-in');
  const tokens = await client.authorizationCodeGrant(config, new URL(location.href), {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  });
  return tokens.claims();
}

const isReturning = new URLSearchParams(location.search).has('state');
if (!isReturning) await signIn();
else document.body.textContent = \`Signed in as \${(await finishSignIn()).sub}\`;
`;

export const browser: Language = {
  id: 'browser',
  name: 'JavaScript',
  snippets: { SPA: (start) => ({ install: INSTALL, blocks: [{ file: 'sign-in.js', code: page(start) }] }) },
};
