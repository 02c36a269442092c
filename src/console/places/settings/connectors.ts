import { html } from '../../../pages/html.ts';
import { type Things, thingRoutes } from '../../entities/entity-pages.ts';
import { copyable, facts, when } from '../../parts/parts.ts';

/** Of the accounts at a provider, which people sign in with. */

const domainsOf = (connector: Record<string, unknown>): string[] => connector.domains as string[];

const things: Things = {
  path: '/settings/connectors',
  list: '/connectors',
  item: '/connectors/:id',
  one: 'connector',
  many: 'Connectors',
  lead: 'OpenID Connect providers whose accounts people can sign in with.',
  isWhole: true,
  columns: ({ now }) => [
    { label: 'Issuer', cell: ({ issuer }) => issuer as string },
    { label: 'Single sign-on for', cell: (connector) => domainsOf(connector).join(', ') },
    { label: 'Created', cell: ({ createdAt }) => when(createdAt as number, now) },
  ],
  fields: [
    { name: 'name', label: 'Name', hint: 'As the sign-in page shows it: “Continue with Google”.' },
    {
      name: 'target',
      label: 'Target',
      hint: 'Lower case letters, digits and hyphens. It stands in the redirect URI and in the identities of people.',
    },
    { name: 'issuer', label: 'Issuer', hint: 'Its address, such as https://accounts.google.com.' },
    { name: 'clientId', label: 'Client id', hint: 'The provider gives it, with the secret, for the redirect URI.' },
    { name: 'clientSecret', label: 'Client secret', kind: 'password', on: 'create' },
    {
      name: 'clientSecret',
      label: 'New client secret',
      kind: 'password',
      isKeptWhenEmpty: true,
      on: 'change',
      hint: 'Empty: the secret stays. It is never shown.',
    },
    { name: 'scope', label: 'Scope', initial: 'openid profile email', hint: 'With openid.' },
    {
      name: 'domains',
      label: 'Domains',
      kind: 'lines',
      isOptional: true,
      hint: 'One per line. Users with an e-mail address of these domains sign in here, and in no other way.',
    },
    {
      name: 'assumeEmailVerified',
      label: 'Trust addresses that the provider does not say it has verified',
      kind: 'tick',
      hint: 'For providers that never send email_verified. An address with email_verified: false is always refused.',
    },
  ],
  show: ({ tenant, now }, connector) =>
    facts([
      ['Issuer', copyable(connector.issuer as string)],
      ['Client id', copyable(connector.clientId as string)],
      ['Client secret', 'set'],
      ['Redirect URI', copyable(`${tenant.endpoint}/sign-in/callback/${connector.target}`)],
      ['Scope', html`<code class="mono">${connector.scope as string}</code>`],
      ['Single sign-on for', domainsOf(connector).join(', ')],
      ['Addresses without email_verified', connector.assumeEmailVerified ? 'trusted' : 'not trusted'],
      ['Created', when(connector.createdAt as number, now)],
      ['Id', copyable(connector.id)],
    ]),
  loses: 'People can no longer sign in by it. Their accounts stay linked.',
};

export const connectorRoutes = thingRoutes(things);
