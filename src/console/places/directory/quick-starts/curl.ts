import { shellQuoted } from '../../../../base/shell.ts';
import { type Language, SIGN_IN_SCOPE, type Snippet, type Start } from './start.ts';

/**
 * The authorization code flow by hand, in three blocks: a shell would read the lines pasted after `read` as its input.
 *
 * @param hasSecret false for an application that authenticates with PKCE only
 */
function signIn({ issuer, clientId, redirectUri }: Start, hasSecret: boolean): Snippet['blocks'] {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: SIGN_IN_SCOPE,
    code_challenge_method: 'S256',
  });
  const authentication = hasSecret
    ? `-u ${shellQuoted(clientId)}:"$CLIENT_SECRET"`
    : `-d client_id=${shellQuoted(clientId)}`;
  const ask = `VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
echo 'Open this address in a browser and sign in:'
echo ${shellQuoted(`${issuer}/auth?${query}&code_challenge=`)}"$CHALLENGE"
`;
  const paste = `# The browser arrives at the redirect URI. Paste the parameter "code" of its address.
read -r CODE
`;
  const exchange = `curl -s ${shellQuoted(`${issuer}/token`)} ${authentication} \\
  -d grant_type=authorization_code -d code="$CODE" -d code_verifier="$VERIFIER" \\
  --data-urlencode redirect_uri=${shellQuoted(redirectUri)}
`;
  return [ask, paste, exchange].map((code) => ({ code }));
}

const machine = ({ issuer, clientId, resource, scope }: Start): string =>
  `curl -s ${shellQuoted(`${issuer}/token`)} -u ${shellQuoted(clientId)}:"$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  --data-urlencode resource=${shellQuoted(resource)} \\
  --data-urlencode scope=${shellQuoted(scope)}
`;

const SECRET = { code: 'export CLIENT_SECRET=…' };

export const curl: Language = {
  id: 'curl',
  name: 'curl',
  snippets: {
    Traditional: (start) => ({ blocks: [SECRET, ...signIn(start, true)] }),
    SPA: (start) => ({ blocks: signIn(start, false) }),
    Native: (start) => ({ blocks: signIn(start, false) }),
    MachineToMachine: (start) => ({ blocks: [SECRET, { code: machine(start) }] }),
  },
};
