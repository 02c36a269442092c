export type Json = Record<string, unknown>;

/** Set by the store alone. */
export interface Owned {
  tenantId: string;
}

export interface Identified extends Owned {
  id: string;
}
