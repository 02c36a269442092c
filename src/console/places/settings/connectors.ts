import { html } from '../../../pages/html.ts';
import { type EntityPages, entityRoutes } from '../../entities/entity-pages.ts';
import { copyable, facts, when } from '../../parts/parts.ts';
import { presetForm, redirectUriOf } from './connector-presets.ts';

/** Connectors to identity providers, for social sign-in and single sign-on. */

const connectorPages: EntityPages<'/connectors/:id'> = {
  path: '/settings/connectors',
  entity: '/connectors/:id',
  singular: 'connector',
  plural: 'Connectors',
  lead: 'OpenID Connect providers that users can sign in with.',
  isUnpaged: true,
  columns: ({ now }) => [
    { label: 'Issuer', cell: ({ issuer }) => issuer },
    { label: 'Single sign-on for', cell: ({ domains }) => domains.join(', ') },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt, now) },
  ],
  fields: [
    { name: 'name', label: 'Name', hint: 'Shown on the sign-in page: “Continue with Google”.' },
    {
      name: 'target',
      label: 'Target',
      hint: 'Lowercase letters, digits, and hyphens. It is part of the redirect URI and of users’ linked identities.',
      format: 'Enter lowercase letters, digits, and hyphens only.',
    },
    { name: 'issuer', label: 'Issuer', hint: 'Issuer URL, such as https://accounts.google.com.' },
    {
      name: 'clientId',
      label: 'Client ID',
      hint: 'From the provider, like the client secret.',
    },
    { name: 'clientSecret', label: 'Client secret', kind: 'password', on: 'create' },
    {
      name: 'clientSecret',
      label: 'New client secret',
      kind: 'password',
      isKeptWhenEmpty: true,
      on: 'change',
      hint: 'Leave empty to keep the current secret, which is never shown.',
    },
    { name: 'scope', label: 'Scope', initial: 'openid profile email', hint: 'Must include openid.' },
    {
      name: 'domains',
      label: 'Domains',
      kind: 'lines',
      isOptional: true,
      hint: 'One per line. Users with an email address in these domains must sign in with this provider.',
    },
    {
      name: 'assumeEmailVerified',
      label: 'Trust email addresses without email_verified',
      kind: 'tick',
      hint: 'For providers that never send email_verified. An address with email_verified: false is always rejected.',
    },
  ],
  newForm: presetForm,
  show: (request, connector) =>
    facts([
      ['Issuer', copyable(connector.issuer)],
      ['Client ID', copyable(connector.clientId)],
      ['Client secret', 'Set'],
      ['Redirect URI', copyable(redirectUriOf(request, connector.target))],
      ['Scope', html`<code class="mono">${connector.scope}</code>`],
      ['Single sign-on for', connector.domains.join(', ')],
      ['Email addresses without email_verified', connector.assumeEmailVerified ? 'Trusted' : 'Not trusted'],
      ['Created', when(connector.createdAt, request.now)],
      ['ID', copyable(connector.id)],
    ]),
  deleteWarning: 'Users can no longer sign in with it. Their accounts stay linked.',
};

export const connectorRoutes = entityRoutes(connectorPages);
