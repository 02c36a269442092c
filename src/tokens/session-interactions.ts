import type { Adapter, KoaContextWithOIDC } from 'oidc-provider';

/** How a person signed in: what a claims script is told as `context.interaction`. */
export interface SessionInteraction {
  interactionEvent: string;
  userId: string;
  verificationRecords: { type: string }[];
}

/** Seconds. As long as a grant: a token that is refreshed after the session's end still comes from it. */
const LIFETIME_SECONDS = 180 * 24 * 60 * 60;

/**
 * The sign-in of each session. Beside the session, because oidc-provider keeps nothing in one that it does not know;
 * with its `uid` and account, so that it goes when they do.
 */
export class SessionInteractions {
  readonly #adapter: Adapter;

  constructor(adapter: Adapter) {
    this.#adapter = adapter;
  }

  /** When this request comes back from a sign-in. */
  async remember({ oidc: { result, session } }: KoaContextWithOIDC): Promise<void> {
    const interaction = result?.login?.interaction as SessionInteraction | undefined;
    if (!interaction || !session) return;
    const { uid } = session;
    await this.#adapter.upsert(uid, { ...interaction, accountId: interaction.userId, uid }, LIFETIME_SECONDS);
  }

  /** The sign-in that a token of this session comes from. */
  async of(sessionUid: string | undefined, accountId: string): Promise<SessionInteraction | undefined> {
    const payload = sessionUid === undefined ? undefined : await this.#adapter.find(sessionUid);
    if (payload?.accountId !== accountId) return undefined;
    const { interactionEvent, userId, verificationRecords } = payload as unknown as SessionInteraction;
    return { interactionEvent, userId, verificationRecords };
  }
}
