import { type Html, html } from '../../../pages/html.ts';
import type { NewForm } from '../../entities/entity-pages.ts';
import { copyable, note, tabs } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';

/** A well-known identity provider: the values of its connector, and what to do there. */
interface Preset {
  /** Value in the URL. */
  id: string;
  name: string;
  values: { name?: string; target?: string; issuer?: string; scope?: string };
  /** Where to register the redirect URI. */
  instructions: string | Html;
}

const link = (href: string, text: string): Html => html`<a href="${href}" rel="noreferrer">${text}</a>`;

const PRESETS: readonly [Preset, ...Preset[]] = [
  {
    id: 'oidc',
    name: 'OpenID Connect',
    values: {},
    instructions: 'Create a web application at the provider. It must support the authorization code flow.',
  },
  {
    id: 'google',
    name: 'Google',
    values: { name: 'Google', target: 'google', issuer: 'https://accounts.google.com' },
    instructions: html`In the ${link('https://console.cloud.google.com/auth/clients', 'Google Cloud console')}, create a client of the type “Web application”, and add this address to its authorized redirect URIs.`,
  },
  {
    id: 'microsoft',
    name: 'Microsoft',
    values: {
      name: 'Microsoft',
      target: 'microsoft',
      issuer: 'https://login.microsoftonline.com/DIRECTORY-ID/v2.0',
    },
    instructions: html`In the ${link('https://entra.microsoft.com', 'Microsoft Entra admin center')}, register an application with this address as a redirect URI of the platform “Web”. Replace DIRECTORY-ID in the issuer with the directory (tenant) ID of the registration. The client secret is the value of the secret, not its ID.`,
  },
  {
    id: 'github',
    name: 'GitHub',
    values: { name: 'GitHub', target: 'github' },
    instructions: html`GitHub signs users in with OAuth 2.0 but not with OpenID Connect, which a connector needs. Run a provider that translates, such as ${link('https://dexidp.io/docs/connectors/github/', 'Dex')}, and enter its issuer.`,
  },
  {
    id: 'gitlab',
    name: 'GitLab',
    values: { name: 'GitLab', target: 'gitlab', issuer: 'https://gitlab.com' },
    instructions: html`In GitLab, ${link('https://gitlab.com/-/user_settings/applications', 'add an application')} with this redirect URI, “Confidential” and the scopes openid, profile and email. For a GitLab of your own, replace the issuer with its address.`,
  },
  {
    id: 'apple',
    name: 'Apple',
    values: { name: 'Apple', target: 'apple', issuer: 'https://appleid.apple.com', scope: 'openid' },
    instructions: html`In your ${link('https://developer.apple.com/account/resources/identifiers/list/serviceId', 'Apple Developer account')}, create a Services ID with this return URL. The client ID is the identifier of the Services ID. The client secret is ${link('https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret', 'a JWT')} that you sign with your key. It expires after at most six months. Keep the scope openid: Apple sends names and email addresses only in a form that this service does not accept, so new users have neither.`,
  },
];

/** The beginning of every redirect URI. The target follows. */
const callbackOf = ({ tenant }: ConsoleRequest): string => `${tenant.endpoint}/sign-in/callback/`;

export const redirectUriOf = (request: ConsoleRequest, target: string): string => callbackOf(request) + target;

/** Choices of presets, and the redirect URI to register before the client ID and the secret are known. */
export function presetForm(request: ConsoleRequest): NewForm {
  const chosen = request.query.get('preset') ?? request.submitted.get('preset');
  const preset = PRESETS.find(({ id }) => id === chosen) ?? PRESETS[0];
  const target = request.submitted.get('target')?.trim() || preset.values.target;
  const links = PRESETS.map(({ id, name }) => ({ href: `?preset=${id}`, name, isHere: id === preset.id }));
  return {
    values: preset.values,
    above: html`${tabs('Identity provider', links)}
${note('info', html`<p>${preset.instructions}</p><p data-redirect-uri="${callbackOf(request)}">Redirect URI: ${copyable(redirectUriOf(request, target ?? 'TARGET'))}</p>`)}`,
    hidden: html`<input type="hidden" name="preset" value="${preset.id}">`,
    modules: ['console/connector'],
  };
}
