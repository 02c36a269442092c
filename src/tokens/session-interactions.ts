import type { Adapter, KoaContextWithOIDC } from 'oidc-provider';

/** Returns the purpose that binds an encrypted payload of oidc-provider to its tenant, model and id. */
export const payloadPurposeOf = (tenantId: string, model: string, id: string): string =>
  `oidc:${tenantId}:${model}:${id}`;

/** How a user signed in: `context.interaction` in the input of a claims script. */
export interface SessionInteraction {
  interactionEvent: string;
  userId: string;
  verificationRecords: { type: string }[];
}

/** As long as a grant, because a token may be refreshed after the session has ended. */
const LIFETIME_SECONDS = 180 * 24 * 60 * 60;

/**
 * Stores the sign-in of each session. It is a record of its own, because oidc-provider drops unknown session fields. It
 * has the session's `uid` and account, so that it is deleted with them.
 */
export class SessionInteractions {
  readonly #adapter: Adapter;

  constructor(adapter: Adapter) {
    this.#adapter = adapter;
  }

  /** Stores the sign-in from which this request returns, if any. */
  async remember({ oidc: { result, session } }: KoaContextWithOIDC): Promise<void> {
    const interaction = result?.login?.interaction as SessionInteraction | undefined;
    if (!interaction || !session) return;
    const { uid } = session;
    await this.#adapter.upsert(uid, { ...interaction, accountId: interaction.userId, uid }, LIFETIME_SECONDS);
  }

  /** Returns the sign-in that started this session. */
  async of(sessionUid: string | undefined, accountId: string): Promise<SessionInteraction | undefined> {
    const payload = sessionUid === undefined ? undefined : await this.#adapter.find(sessionUid);
    if (payload?.accountId !== accountId) return undefined;
    const { interactionEvent, userId, verificationRecords } = payload as unknown as SessionInteraction;
    return { interactionEvent, userId, verificationRecords };
  }
}
