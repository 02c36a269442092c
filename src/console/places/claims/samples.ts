import type { TokenKind } from './kinds.ts';

/** Initial sample data for tests: invented values in the shape of real input. */

const APPLICATION = { id: 'sample-application', name: 'Support desk', type: 'SPA' };
const TOKEN = { jti: 'sample-token', clientId: APPLICATION.id, aud: 'https://api.example.com', scope: 'read:orders' };
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const STARTER = `const getCustomJwtClaims = async ({ token, context, environmentVariables, api }) => {
  return {};
};
`;

interface Sample {
  token: Record<string, unknown>;
  context: Record<string, unknown>;
}

export const SAMPLES: Record<TokenKind['tokenType'], Sample> = {
  'access-token': {
    token: {
      kind: 'AccessToken',
      ...TOKEN,
      accountId: 'sample-user',
      gty: TOKEN_EXCHANGE,
      extra: { subjectTokenId: 'sample-subject-token', act: { sub: 'sample-engineer' } },
    },
    context: {
      user: {
        id: 'sample-user',
        username: 'robin',
        primaryEmail: 'robin@example.com',
        name: 'Robin Doe',
        customData: { plan: 'gold' },
        roles: [{ id: 'sample-role', name: 'Customer', description: 'Buys', scopes: [] }],
        organizations: [],
        organizationRoles: [],
      },
      application: APPLICATION,
      grant: {
        type: TOKEN_EXCHANGE,
        subjectTokenContext: {
          ticketId: 'T-1042',
          reason: 'The customer cannot see an order',
          supportEngineerId: 'sample-engineer',
        },
      },
    },
  },
  'client-credentials': {
    token: { kind: 'ClientCredentials', ...TOKEN },
    context: { application: { ...APPLICATION, type: 'MachineToMachine' } },
  },
};
