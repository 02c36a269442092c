/** The script that every contestant runs: a typical first script, with an input of about a kilobyte. */
export const SCRIPT = `const getCustomJwtClaims = async ({ token, context, environmentVariables }) => {
  const { grant, user } = context;
  const claims = { plan: user.customData.plan ?? 'free', region: environmentVariables.REGION };
  if (grant?.type !== 'urn:ietf:params:oauth:grant-type:token-exchange') return claims;
  const { ticketId, reason, supportEngineerId } = grant.subjectTokenContext;
  return {
    ...claims,
    roles: user.roles.map(({ name }) => name),
    impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId },
  };
};`;

export const INPUT = JSON.stringify({
  token: {
    jti: 'tX4mJ0pQvK8sYb2NnGdEw',
    kind: 'AccessToken',
    clientId: 'support-console',
    accountId: 'user-71f3',
    gty: 'urn:ietf:params:oauth:grant-type:token-exchange',
    aud: 'https://orders.example.com',
    scope: 'read:orders write:orders',
  },
  context: {
    user: {
      id: 'user-71f3',
      username: 'bob',
      primaryEmail: 'bob@example.com',
      name: 'Bob Example',
      customData: { plan: 'business', seats: 40 },
      roles: ['support', 'billing'].map((name) => ({
        id: `role-${name}`,
        name,
        description: `People who do ${name}`,
        scopes: [],
      })),
      organizations: [{ id: 'org-1', name: 'Acme', description: 'A customer' }],
      createdAt: 1_790_000_000_000,
    },
    grant: {
      type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subjectTokenContext: { ticketId: 'TICKET-7', reason: 'cannot see an order', supportEngineerId: 'engineer-9' },
    },
  },
  environmentVariables: { REGION: 'eu-west', SALT: 'c2FsdA' },
});

/** The keys that every contestant's result must have, so that all do the same work. */
export function verify(output: unknown): void {
  const { impersonation_context } = output as { impersonation_context?: { ticket_id?: string } };
  if (impersonation_context?.ticket_id !== 'TICKET-7')
    throw new Error(`A contestant answered ${JSON.stringify(output)}.`);
}
