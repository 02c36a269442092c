export type Json = Record<string, unknown>;

/** A row of a tenant. Only the store sets `tenantId`. */
export interface Owned {
  tenantId: string;
}

export interface Identified extends Owned {
  id: string;
}
