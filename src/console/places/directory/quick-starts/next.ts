import { authorization, discovery } from './node.ts';
import { type Language, literal, type Start } from './start.ts';

const INSTALL = 'npm install openid-client';

const secretConfig = (start: Start): string => `import * as client from 'openid-client';

export const getConfig = async () =>
  ${discovery(start, 'secret').replaceAll('\n', '\n  ')};
`;

const signInRoute = (start: Start): string => `import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import * as client from 'openid-client';
import { getConfig } from '@/lib/openid';

const redirectUri = ${literal(start.redirectUri)};

export async function GET() {
  const codeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const location = client.buildAuthorizationUrl(await getConfig(), ${authorization('  ')});
  const options = { httpOnly: true, sameSite: 'lax', maxAge: 600 } as const;
  (await cookies()).set('sign-in', \`\${state}.\${codeVerifier}\`, options);
  redirect(location.href);
}
`;

const callbackRoute = (start: Start): string => `import { cookies } from 'next/headers';
import * as client from 'openid-client';
import { getConfig } from '@/lib/openid';

const redirectUri = ${literal(start.redirectUri)};

export async function GET(request: Request) {
  const [state, codeVerifier] = (await cookies()).get('sign-in')?.value.split('.') ?? [];
  const { search } = new URL(request.url);
  const tokens = await client.authorizationCodeGrant(await getConfig(), new URL(search, redirectUri), {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  });
  (await cookies()).delete('sign-in');
  return new Response(\`Signed in as \${tokens.claims()?.sub}\`);
}
`;

const tokenRoute = (start: Start): string => `import * as client from 'openid-client';
import { getConfig } from '@/lib/openid';

export async function GET() {
  const tokens = await client.clientCredentialsGrant(await getConfig(), {
    resource: ${literal(start.resource)},
    scope: ${literal(start.scope)},
  });
  // Call the resource with it here. The token must not leave the server.
  return Response.json({ expiresIn: tokens.expires_in });
}
`;

const clientPage = (start: Start): string => `'use client';

import * as client from 'openid-client';
import { useEffect, useState } from 'react';

const redirectUri = ${literal(start.redirectUri)};

const getConfig = async () =>
  ${discovery(start, 'none').replaceAll('\n', '\n  ')};

async function signIn() {
  const codeVerifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  sessionStorage.setItem('sign-in', JSON.stringify({ codeVerifier, state }));
  location.assign(client.buildAuthorizationUrl(await getConfig(), ${authorization('  ')}));
}

async function finishSignIn() {
  const pending = sessionStorage.getItem('sign-in');
  if (!pending) return undefined; // React calls an effect twice in development.
  sessionStorage.removeItem('sign-in');
  const { codeVerifier, state } = JSON.parse(pending);
  const tokens = await client.authorizationCodeGrant(await getConfig(), new URL(location.href), {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  });
  return tokens.claims()?.sub;
}

export default function Page() {
  const [user, setUser] = useState<string>();
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('state')) return;
    finishSignIn().then((sub) => sub && setUser(sub));
  }, []);
  return user ? <p>Signed in as {user}</p> : <button onClick={signIn}>Sign in</button>;
}
`;

/** The folder of the App Router that serves the path of the redirect URI: `app/callback/`. */
function folderOf({ redirectUri }: Start): string {
  const path = URL.parse(redirectUri)?.pathname.split('/').filter(Boolean).join('/') ?? '';
  return path === '' ? 'app/' : `app/${path}/`;
}

export const next: Language = {
  id: 'next',
  name: 'Next.js',
  snippets: {
    Traditional: (start) => ({
      install: INSTALL,
      blocks: [
        { file: 'lib/openid.ts', code: secretConfig(start) },
        { file: 'app/sign-in/route.ts', code: signInRoute(start) },
        { file: `${folderOf(start)}route.ts`, code: callbackRoute(start) },
        { file: '.env.local', code: 'CLIENT_SECRET=…' },
      ],
    }),
    SPA: (start) => ({
      install: INSTALL,
      blocks: [{ file: `${folderOf(start)}page.tsx`, code: clientPage(start) }],
    }),
    MachineToMachine: (start) => ({
      install: INSTALL,
      blocks: [
        { file: 'lib/openid.ts', code: secretConfig(start) },
        { file: 'app/orders/route.ts', code: tokenRoute(start) },
        { file: '.env.local', code: 'CLIENT_SECRET=…' },
      ],
    }),
  },
};
