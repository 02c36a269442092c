import type { KoaContextWithOIDC } from 'oidc-provider';
import type { FoundSubjectToken } from '../database/statements/find-subject-token.ts';
import type { Actor } from './actor-token.ts';

/** What is known of an exchange so far: read while the token is signed, and by the audit when it is refused. */
export interface Exchange {
  subjectToken: FoundSubjectToken;
  organizationId: string | undefined;
  actor?: Actor | undefined;
}

const exchanges = new WeakMap<KoaContextWithOIDC, Exchange>();

export function beginExchange(ctx: KoaContextWithOIDC, exchange: Exchange): Exchange {
  exchanges.set(ctx, exchange);
  return exchange;
}

/** Undefined for every other grant, and before the subject token was found. */
export const exchangeOf = (ctx: KoaContextWithOIDC): Exchange | undefined => exchanges.get(ctx);
