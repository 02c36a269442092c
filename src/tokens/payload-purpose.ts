/** Returns the purpose that binds an encrypted payload of oidc-provider to its tenant, model and id. */
export const payloadPurposeOf = (tenantId: string, model: string, id: string): string =>
  `oidc:${tenantId}:${model}:${id}`;
