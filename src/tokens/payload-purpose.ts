/** Binds the sealed payload of a record of oidc-provider to its tenant, model and id. */
export const payloadPurposeOf = (tenantId: string, model: string, id: string): string =>
  `oidc:${tenantId}:${model}:${id}`;
