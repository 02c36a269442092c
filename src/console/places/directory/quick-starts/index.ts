import { type Html, html } from '../../../../pages/html.ts';
import type { Result } from '../../../api.ts';
import { copyable, FIRST_PAGE, facts, note, section, tabs } from '../../../parts/parts.ts';
import type { ConsoleRequest } from '../../../route.ts';
import { curl } from './curl.ts';
import { go } from './go.ts';
import { next } from './next.ts';
import { browser, node } from './node.ts';
import { python } from './python.ts';
import type { Language, Snippet, Start } from './start.ts';

/** In the order of the tabs. */
export const languages: readonly Language[] = [node, browser, next, python, go, curl];

type Application = Result<'GET /applications/:id'>;
type AtApplication = ConsoleRequest<{ id: string }>;

const MANAGEMENT_API = 'management-api';
/** Roles whose scopes the quick start of a machine-to-machine application looks at. */
const LOOKED_AT = 5;

/** True for a redirect URI at which a command line program can listen. */
const isLoopback = (uri: string): boolean => /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?\//.test(uri);

function redirectUriOf({ type, oidcClientMetadata: { redirectUris } }: Application): string {
  if (type === 'Native') return redirectUris.find(isLoopback) ?? 'http://127.0.0.1:8400/callback';
  return redirectUris.find((uri) => /^https?:/.test(uri)) ?? 'http://localhost:3000/callback';
}

/** Returns a resource that the application has scopes on, with these scopes; otherwise the Management API. */
async function accessOf({ perform }: AtApplication): Promise<Pick<Start, 'resource' | 'scope'>> {
  const { value: roles } = await perform('GET /applications/:id/roles', {
    query: { page: '1', page_size: String(LOOKED_AT) },
  });
  const lists = await Promise.all(
    roles.map(({ id }) => perform('GET /roles/:id/scopes', { params: { id }, query: FIRST_PAGE })),
  );
  const scopes = lists.flatMap(({ value }) => value);
  const [first] = scopes;
  if (first) {
    const names = scopes.filter(({ resourceId }) => resourceId === first.resourceId).map(({ name }) => name);
    return { resource: first.resource.indicator, scope: [...new Set(names)].join(' ') };
  }
  const { value: api } = await perform('GET /resources/:id', { params: { id: MANAGEMENT_API } });
  return { resource: api.indicator, scope: 'all' };
}

/** The addresses of this tenant that an application of this type needs. */
export function endpointSection({ tenant: { issuer } }: AtApplication, { type }: Application): Html {
  const forUsers = [
    ['Authorization endpoint', copyable(`${issuer}/auth`)],
    ['Userinfo endpoint', copyable(`${issuer}/me`)],
    ['Sign-out endpoint', copyable(`${issuer}/session/end`)],
  ] as const;
  return section(
    'Endpoints',
    facts([
      ['Issuer', copyable(issuer)],
      ['Discovery document', copyable(`${issuer}/.well-known/openid-configuration`)],
      ['Token endpoint', copyable(`${issuer}/token`)],
      ...(type === 'MachineToMachine' ? [] : forUsers),
      ['Signing keys (JWKS)', copyable(`${issuer}/jwks`)],
    ]),
    { lead: 'Most libraries need only the issuer.' },
  );
}

const blockOf = ({ file, code }: Snippet['blocks'][number]): Html =>
  html`${file !== undefined && html`<p class="mono">${file}</p>`}<div class="raw-body"><button type="button" class="button compact" hidden data-copy="${code}" aria-label="Copy ${file ?? 'the commands'}">Copy</button><pre class="mono" tabindex="0">${code}</pre></div>`;

/** Code for this application, with its client ID, redirect URI and resource, in the language of the URL. */
export async function quickStartSection(request: AtApplication, application: Application): Promise<Html> {
  const offered = languages.filter(({ snippets }) => snippets[application.type]);
  const language = offered.find(({ id }) => id === request.query.get('start')) ?? offered[0];
  const isMachine = application.type === 'MachineToMachine';
  const redirectUri = redirectUriOf(application);
  const { resource, scope } = isMachine ? await accessOf(request) : { resource: '', scope: '' };
  const start = { issuer: request.tenant.issuer, clientId: application.id, redirectUri, resource, scope };
  const snippet = language?.snippets[application.type]?.(start);
  const links = offered.map(({ id, name }) => ({
    href: `?start=${id}#quick-start`,
    name,
    isHere: id === language?.id,
  }));
  const isMissing = !isMachine && !application.oidcClientMetadata.redirectUris.includes(redirectUri);
  return html`<div id="quick-start">${section(
    'Quick start',
    html`${tabs('Language', links)}
${isMissing && note('info', html`Add ${copyable(redirectUri)} to the redirect URIs first. Users return to it after sign-in.`)}
${snippet?.install !== undefined && html`<p>${copyable(snippet.install)}</p>`}
${snippet?.blocks.map(blockOf)}`,
    { lead: isMachine ? 'Gets an access token for the application itself.' : 'Signs a user in.' },
  )}</div>`;
}
