import { timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { errors, type Provider } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { clientFactsOf, contextOf } from '../../http/context.ts';
import { readSettings } from '../settings.ts';
import { currentCredentials } from './credentials.ts';
import type { Flow, Tools } from './flow.ts';
import { knownAccountsOf } from './known-browsers.ts';
import { type InteractionEvent, newProgress, ProgressStore, type SavedProgress } from './progress.ts';

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** What the application asked for first. */
const FIRST_SCREENS: ReadonlyMap<string | undefined, InteractionEvent> = new Map([
  ['sign_in', 'SignIn'],
  ['register', 'Register'],
  ['reset_password', 'ForgotPassword'],
]);

export const parameterOf = ({ params }: Interaction, name: string): string | undefined =>
  typeof params[name] === 'string' ? params[name] : undefined;

/** @throws 404 `session.not_found` when this browser has no such interaction, or no longer */
export async function findInteraction(
  provider: Provider,
  request: Request,
  response: Response,
  uid: string | undefined,
): Promise<Interaction> {
  try {
    const interaction = await provider.interactionDetails(request, response);
    if (interaction.uid === uid) return interaction;
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error;
  }
  throw new ServiceError('session.not_found');
}

/** One way: the interaction's id cannot be told from it. 128 bits of the hash are enough to be unique. */
export const publicIdOf = (uid: string): string => hashOf(`interaction:${uid}`).slice(0, 22);

export async function openFlow(request: Request, interaction: Interaction, tools: Tools): Promise<Flow> {
  const { tenant, requestId } = contextOf(request);
  const { store } = tenant;
  const { uid } = interaction;
  const now = tools.clock();
  const clientId = parameterOf(interaction, 'client_id');
  const settings = await readSettings(store, tenant.name);
  const firstScreen = FIRST_SCREENS.get(parameterOf(interaction, 'first_screen')) ?? 'SignIn';
  const mayRegister = settings.signInMode === 'SignInAndRegister';
  const fresh = newProgress(firstScreen === 'Register' && !mayRegister ? 'SignIn' : firstScreen);
  const progressStore = new ProgressStore(store, tools.secrets);
  if (request.method !== 'GET') await progressStore.begin(uid, fresh, now); // So that two posts at once know of each other.
  return {
    tenant,
    store,
    settings,
    tools,
    uid,
    publicId: publicIdOf(uid),
    sessionUid: interaction.session?.uid,
    application: clientId === undefined ? undefined : await store.find('applications', { id: clientId }),
    facts: clientFactsOf(request),
    knownAccounts: knownAccountsOf(request, tenant, tools.secrets, now),
    requestId,
    now,
    saved: await whileUnchanged(
      store,
      (await progressStore.find(uid)) ?? { progress: fresh, version: 0, finishedAt: null },
    ),
  };
}

/**
 * Proofs end with what they proved: after the password, an address or a factor of the account was changed, or the account
 * suspended, the person starts over. A finished interaction then leads nowhere.
 */
async function whileUnchanged(store: TenantStore, saved: SavedProgress): Promise<SavedProgress> {
  const { userId, credentials, event, identifier } = saved.progress;
  if (userId === undefined || (await currentCredentials(store, userId)) === credentials) return saved;
  if (saved.finishedAt !== null) throw new ServiceError('session.not_found');
  return { ...saved, progress: { ...newProgress(event), ...(identifier && { identifier }) } };
}

/**
 * A reset ends every session of the account. Where this browser was in one of them, the sign-in that follows begins a
 * new one; the library refuses an interaction whose own session is gone.
 */
export async function forgetEndedSession(interaction: Interaction, { sessionUid, store, now }: Flow): Promise<void> {
  if (sessionUid === undefined || (await store.find('oidcPayloads', { model: 'Session', uid: sessionUid }))) return;
  delete interaction.session;
  await interaction.save(interaction.exp - Math.floor(now / 1000));
}

/** 126 random bits that the library makes for each interaction and the types leave out. It never leaves the server. */
export const cidOf = (interaction: Interaction): string => (interaction as Interaction & { cid: string }).cid;

/**
 * Sent back by every form. The cookie of the interaction is bound to its path already, which nobody
 * else knows; this holds where a path has leaked. `cid` never leaves the server.
 */
export const csrfTokenOf = (interaction: Interaction): string =>
  hashOf(`csrf:${cidOf(interaction)}:${interaction.uid}`);

/** @throws 403 `session.forbidden` */
export function requireCsrfToken(expected: string, given: unknown, request: Request): void {
  const site = request.headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin';
  const token = Buffer.from(typeof given === 'string' ? given : '');
  const wanted = Buffer.from(expected);
  if (!isOwnSite || token.length !== wanted.length || !timingSafeEqual(token, wanted)) {
    throw new ServiceError('session.forbidden');
  }
}
