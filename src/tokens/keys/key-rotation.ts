import { recordAudit } from '../../audit/record.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { DAY_MS } from '../../base/times.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import { incrementVersion } from '../../tenants.ts';
import { DEFAULT_TTL_SECONDS } from '../resources/resource-servers.ts';
import { addSigningKey, JWKS_MAX_AGE_SECONDS, type NewSigningKey, readSigningKeys } from './signing-keys.ts';

/**
 * How long a key is published before it may sign. A key is first published (`next`), then signs (`current`), and stays
 * published until the tokens it signed have expired (`previous`). Resource servers cache the JWKS for its `max-age`, so
 * none of them meets a signature of an unknown key. The extra 5 s are for all processes to read the new key.
 */
export const PUBLISHED_MS = (JWKS_MAX_AGE_SECONDS + 5) * 1_000;

/** Added to the longest token lifetime, because other processes may sign with the old key for another second. */
const RETIRE_MARGIN_MS = 60_000;

/** The fields of a key that decide its next step. */
export type KeyState = Pick<SigningKeyRow, 'state' | 'createdAt' | 'retireAt'>;

const isPromotable = ({ state, createdAt }: KeyState, now: number): boolean =>
  state === 'next' && now - createdAt >= PUBLISHED_MS;

const isRetirable = ({ state, retireAt }: KeyState, now: number): boolean =>
  state === 'previous' && retireAt !== null && retireAt <= now;

/** Returns the step that is due for a tenant's keys. @param rotationDays undefined without scheduled rotation */
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

/** Longest lifetime, in seconds, of an access token of this tenant. */
async function longestLife(store: TenantStore): Promise<number> {
  const rows = await store.from('resources').select('accessTokenTtl');
  return Math.max(DEFAULT_TTL_SECONDS, ...rows.map(({ accessTokenTtl }) => accessTokenTtl));
}

/** Makes this key the current one. The previous one retires when the last token it signed has expired. */
async function promote(store: TenantStore, { id }: SigningKeyRow, now: number): Promise<void> {
  const retireAt = now + (await longestLife(store)) * 1_000 + RETIRE_MARGIN_MS;
  await store.change('signingKeys', { state: 'current' }, { state: 'previous', retireAt });
  await store.change('signingKeys', { id }, { state: 'current' });
}

/** Records a scheduled step. Steps requested by a call are recorded with the call. */
const recordStep = (store: TenantStore, step: 'Publish' | 'Promote' | 'Retire', keyId: string, now: number) =>
  recordAudit(store, { key: `SigningKey.${step}`, result: 'Success', payload: { keyId }, createdAt: now });

/** Takes every step that is due. Runs on schedule, in a transaction. */
export async function advanceKeys(store: TenantStore, now: number): Promise<void> {
  await incrementVersion(store);
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

/** Publishes this key unless another is already published. Runs on schedule, in a transaction. */
export async function publishKey(
  store: TenantStore,
  secrets: SecretBox,
  prepared: NewSigningKey,
  now: number,
): Promise<void> {
  await incrementVersion(store);
  if ((await readSigningKeys(store)).some(({ state }) => state === 'next')) return;
  const { id } = await addSigningKey(store, secrets, prepared, { state: 'next', now });
  await recordStep(store, 'Publish', id, now);
}

export interface Rotation {
  /** The key to publish if no other is published yet. */
  prepared: NewSigningKey;
  /** Sign with it at once. Resource servers with a cached JWKS refuse new tokens until they read it again. */
  immediately: boolean;
  now: number;
}

/**
 * Takes one step of a rotation, in a transaction. A published key is promoted once it was published long enough. If its
 * algorithm differs from the requested one, the new key replaces it.
 */
export async function rotateKeys(
  store: TenantStore,
  secrets: SecretBox,
  { prepared, immediately, now }: Rotation,
): Promise<SigningKeyRow[]> {
  await incrementVersion(store);
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
