import type { Request, Response } from 'express';
import { errors, type Provider } from 'oidc-provider';
import { hashOf } from '../../base/ids.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { ServiceError } from '../../errors.ts';
import { clientFactsOf, contextOf } from '../../http/context.ts';
import { csrfTokenOf } from '../../http/csrf.ts';
import { readSettings } from '../settings.ts';
import { currentCredentials } from './credentials.ts';
import type { Flow, Tools } from './flow.ts';
import { knownAccountsOf } from './known-browsers.ts';
import {
  beginProgress,
  findProgress,
  type InteractionEvent,
  newProgress,
  type SavedProgress,
  unsaved,
} from './progress.ts';

export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The event for each value of the `first_screen` parameter. */
const FIRST_SCREENS: ReadonlyMap<string | undefined, InteractionEvent> = new Map([
  ['sign_in', 'SignIn'],
  ['register', 'Register'],
  ['reset_password', 'ForgotPassword'],
]);

export const parameterOf = ({ params }: Interaction, name: string): string | undefined =>
  typeof params[name] === 'string' ? params[name] : undefined;

/** @throws 404 `session.not_found` if this browser has no such interaction, or it has expired */
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

/** Returns an id from which the interaction's id cannot be derived. 128 bits of the hash are enough to be unique. */
export const publicIdOf = (uid: string): string => hashOf(`interaction:${uid}`).slice(0, 22);

/** Returns the part of a flow that is the same for an interaction and for the account page. */
export async function flowOfRequest(request: Request, tools: Tools, now: number) {
  const { tenant, requestId } = contextOf(request);
  const { store } = tenant;
  const settings = await readSettings(store, tenant.name);
  const knownAccounts = knownAccountsOf(request, tenant, tools.secrets, now);
  return { tenant, store, settings, tools, facts: clientFactsOf(request), knownAccounts, requestId, now };
}

export async function openFlow(request: Request, interaction: Interaction, tools: Tools): Promise<Flow> {
  const { uid } = interaction;
  const common = await flowOfRequest(request, tools, tools.clock());
  const { store, settings, now } = common;
  const clientId = parameterOf(interaction, 'client_id');
  const firstScreen = FIRST_SCREENS.get(parameterOf(interaction, 'first_screen')) ?? 'SignIn';
  const mayRegister = settings.signInMode === 'SignInAndRegister';
  const fresh = newProgress(firstScreen === 'Register' && !mayRegister ? 'SignIn' : firstScreen);
  // Creates the row, so that two concurrent posts see each other's version.
  if (request.method !== 'GET') await beginProgress(common, uid, fresh, now);
  const saved = (await findProgress(common, uid)) ?? unsaved(fresh);
  return {
    ...common,
    uid,
    publicId: publicIdOf(uid),
    sessionUid: interaction.session?.uid,
    application: clientId === undefined ? undefined : await store.find('applications', { id: clientId }),
    saved: await restartIfChanged(store, saved),
  };
}

/**
 * Restarts the interaction if the account changed since it was identified: after a new password, address or factor, or
 * a suspension, earlier proofs are no longer valid.
 *
 * @throws 404 `session.not_found` if that interaction was finished
 */
async function restartIfChanged(store: TenantStore, saved: SavedProgress): Promise<SavedProgress> {
  const { userId, credentials, event, identifier } = saved.progress;
  if (userId === undefined || (await currentCredentials(store, userId)) === credentials) return saved;
  if (saved.finishedAt !== null) throw new ServiceError('session.not_found');
  return { ...saved, progress: { ...newProgress(event), ...(identifier && { identifier }) } };
}

/**
 * Removes a session that a reset has ended from the interaction. oidc-provider refuses an interaction whose session is
 * gone; without it the sign-in that follows starts a new one.
 */
export async function dropEndedSession(interaction: Interaction, { sessionUid, store, now }: Flow): Promise<void> {
  if (sessionUid === undefined || (await store.find('oidcPayloads', { model: 'Session', uid: sessionUid }))) return;
  delete interaction.session;
  await interaction.save(interaction.exp - Math.floor(now / 1000));
}

/**
 * 126 random bits that oidc-provider generates for each interaction and omits from its types. It never leaves the
 * server.
 */
export const cidOf = (interaction: Interaction): string => (interaction as Interaction & { cid: string }).cid;

/**
 * Returns the token that every form sends back. The interaction's cookie is already bound to a path that only this
 * browser knows; the token protects the interaction if that path leaks.
 */
export const csrfOf = (interaction: Interaction): string => csrfTokenOf(`${cidOf(interaction)}:${interaction.uid}`);
