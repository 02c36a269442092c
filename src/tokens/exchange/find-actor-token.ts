import { type BatchedRead, textsFor } from '../../database/statements/batched-read.ts';

/** An actor token as it is stored, with the state of what it depends on. Payloads are sealed. */
export interface ActorTokenRow {
  tokenPayload: string;
  /** Null unless the grant exists. */
  grantPayload: string | null;
  /** The id and the payload are null unless the session exists. */
  sessionId: string | null;
  sessionPayload: string | null;
  /** The user. Null unless the user exists and is not suspended. */
  actorId: string | null;
}

/** The ids of the records that an access token depends on. They are in its sealed payload. */
const LINKS = { grant_id: '', session_uid: '', account_id: '' };

export type ActorTokenLinks = typeof LINKS;

/** Finds an opaque access token by its hash, together with its grant, its session and its user. */
export const actorTokenByHash: BatchedRead<ActorTokenRow> = {
  texts: textsFor({ tenant_id: '', token_hash: '', ...LINKS }, (_kind, valueFor) => {
    const ofTenant = (table: string) => `${table}.tenant_id = ${valueFor('tenant_id')}`;
    return {
      columns: `token.payload_encrypted as token_payload, granted.payload_encrypted as grant_payload,
        session.id as session_id, session.payload_encrypted as session_payload, actor.id as actor_id`,
      from: `oidc_payloads token
        left join oidc_payloads granted
          on ${ofTenant('granted')} and granted.model = 'Grant' and granted.id = ${valueFor('grant_id')}
        left join oidc_payloads session
          on ${ofTenant('session')} and session.model = 'Session' and session.uid = ${valueFor('session_uid')}
        left join users actor
          on ${ofTenant('actor')} and actor.id = ${valueFor('account_id')} and not actor.is_suspended
        where ${ofTenant('token')} and token.model = 'AccessToken' and token.id = ${valueFor('token_hash')}`,
    };
  }),
  rowOf: (found) => found as unknown as ActorTokenRow,
};
