import { recordAudit } from '../../audit/record.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import { countChange } from '../../tenants.ts';
import { DEFAULT_TTL_SECONDS } from '../resources/resource-servers.ts';
import { addSigningKey, JWKS_MAX_AGE_SECONDS, type NewSigningKey, readSigningKeys } from './signing-keys.ts';

/**
 * Three steps: a key is published (`next`), signs (`current`), and stays published while what it signed
 * lives (`previous`). Resource servers keep the JWKS for its `max-age`, so nobody meets a signature
 * whose key they could not have seen; the rest is for making the key and for all processes to read it.
 */
export const PUBLISHED_MS = (JWKS_MAX_AGE_SECONDS + 5) * 1_000;

/** Beyond the longest life of a token: other processes may sign with the old key for another second. */
const RETIRE_MARGIN_MS = 60_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the steps are decided by. */
export type KeyState = Pick<SigningKeyRow, 'state' | 'createdAt' | 'retireAt'>;

const isPromotable = ({ state, createdAt }: KeyState, now: number): boolean =>
  state === 'next' && now - createdAt >= PUBLISHED_MS;

const isRetirable = ({ state, retireAt }: KeyState, now: number): boolean =>
  state === 'previous' && retireAt !== null && retireAt <= now;

/** The step that a tenant's keys wait for. @param rotationDays undefined: nobody asked for a schedule */
export function dueStep(
  keys: readonly KeyState[],
  now: number,
  rotationDays: number | undefined,
): 'publish' | 'advance' | undefined {
  if (keys.some((key) => isPromotable(key, now) || isRetirable(key, now))) return 'advance';
  const current = keys.find(({ state }) => state === 'current');
  if (!rotationDays || !current || keys.some(({ state }) => state === 'next')) return undefined;
  return now - current.createdAt >= rotationDays * DAY_MS ? 'publish' : undefined;
}

/** Seconds that the longest-lived token of this tenant lives. */
async function longestLife(store: TenantStore): Promise<number> {
  const rows = await store.from('resources').select('accessTokenTtl');
  return Math.max(DEFAULT_TTL_SECONDS, ...rows.map(({ accessTokenTtl }) => accessTokenTtl));
}

/** `next` signs from now on; what signed until now retires when the last token it signed is over. */
async function promote(store: TenantStore, { id }: SigningKeyRow, now: number): Promise<void> {
  const retireAt = now + (await longestLife(store)) * 1_000 + RETIRE_MARGIN_MS;
  await store.change('signingKeys', { state: 'current' }, { state: 'previous', retireAt });
  await store.change('signingKeys', { id }, { state: 'current' });
}

/** A step that the clock took has a record of its own; what a call does is recorded with the call. */
const recordStep = (store: TenantStore, step: 'Publish' | 'Promote' | 'Retire', keyId: string, now: number) =>
  recordAudit(store, { key: `SigningKey.${step}`, result: 'Success', payload: { keyId }, createdAt: now });

/** In a transaction, by schedule: takes every step whose time has come. */
export async function advanceKeys(store: TenantStore, now: number): Promise<void> {
  await countChange(store);
  const keys = await readSigningKeys(store);
  for (const key of keys) {
    if (isPromotable(key, now)) {
      await promote(store, key, now);
      await recordStep(store, 'Promote', key.id, now);
    }
    if (isRetirable(key, now)) {
      await store.removeAll('signingKeys', { id: key.id });
      await recordStep(store, 'Retire', key.id, now);
    }
  }
}

/** In a transaction, by schedule: publishes this key unless one waits already. */
export async function publishKey(
  store: TenantStore,
  secrets: SecretBox,
  prepared: NewSigningKey,
  now: number,
): Promise<void> {
  await countChange(store);
  if ((await readSigningKeys(store)).some(({ state }) => state === 'next')) return;
  const { id } = await addSigningKey(store, secrets, prepared, { state: 'next', now });
  await recordStep(store, 'Publish', id, now);
}

export interface Rotation {
  /** Published, if none waits to sign already. */
  prepared: NewSigningKey;
  /** Sign at once: whoever holds an older JWKS refuses new tokens until they read it again. */
  immediately: boolean;
  now: number;
}

/**
 * In a transaction: one step of a rotation. A key that waits is promoted when its time has come and
 * otherwise left to wait, unless it is of another algorithm: then the new one takes its place.
 */
export async function rotateKeys(
  store: TenantStore,
  secrets: SecretBox,
  { prepared, immediately, now }: Rotation,
): Promise<SigningKeyRow[]> {
  await countChange(store);
  const keys = await readSigningKeys(store);
  let next = keys.find(({ state }) => state === 'next');
  if (next && next.algorithm !== prepared.algorithm) {
    await store.remove('signingKeys', { id: next.id });
    next = undefined;
  }
  next ??= await addSigningKey(store, secrets, prepared, { state: 'next', now });
  if (immediately || isPromotable(next, now)) await promote(store, next, now);
  return readSigningKeys(store);
}
