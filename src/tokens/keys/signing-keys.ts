import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import { Signer, type SigningAlgorithm } from './signer.ts';

/** `max-age` of the JWKS. */
export const JWKS_MAX_AGE_SECONDS = 300;

export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'ES384', 'EdDSA'] as const satisfies SigningAlgorithm[];

/** ES256: fast, and supported by every verifier. */
export const DEFAULT_ALGORITHM: SigningAlgorithm = 'ES256';

export interface SigningKeys {
  algorithm: SigningAlgorithm;
  /** The current key first, then those that are only published. */
  signers: Signer[];
  /** Verification keys by `kid`. */
  publicKeys: ReadonlyMap<string, { key: CryptoKey; algorithm: SigningAlgorithm }>;
}

export const signingKeyPurposeOf = (tenantId: string, id: string): string => `oidc-key:${tenantId}:${id}`;

/** A generated key pair that is not stored yet. */
export interface NewSigningKey {
  algorithm: SigningAlgorithm;
  /** With private parts, as JSON. */
  jwk: string;
}

/** Generates a key pair. RS256 is slow, so call it before the transaction begins. */
export async function generateSigningKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }),
  });
  return { algorithm, jwk: JSON.stringify(await exportJWK(privateKey)) };
}

/** Stores a key with its private part encrypted. */
export async function addSigningKey(
  store: TenantStore,
  secrets: SecretBox,
  { algorithm, jwk }: NewSigningKey,
  { state, now }: { state: SigningKeyRow['state']; now: number },
): Promise<SigningKeyRow> {
  const id = newId();
  return store.insert('signingKeys', {
    id,
    algorithm,
    state,
    privateKeyEncrypted: secrets.seal(jwk, signingKeyPurposeOf(store.tenantId, id)),
    createdAt: now,
    retireAt: null,
  });
}

const ORDER: Record<SigningKeyRow['state'], number> = { current: 0, next: 1, previous: 2 };

/** Reads the signing keys, the current one first. */
export async function readSigningKeys(store: TenantStore): Promise<SigningKeyRow[]> {
  const rows = await store.from('signingKeys').select('*');
  return rows.sort((one, other) => ORDER[one.state] - ORDER[other.state] || other.createdAt - one.createdAt);
}

export async function loadSigningKeys(store: TenantStore, secrets: SecretBox): Promise<SigningKeys> {
  const rows = await readSigningKeys(store);
  const signers = rows.map(({ id, algorithm, privateKeyEncrypted }) => {
    const jwk = secrets.open(privateKeyEncrypted, signingKeyPurposeOf(store.tenantId, id));
    return new Signer(id, algorithm, JSON.parse(jwk) as JWK);
  });
  const publicKeys = new Map<string, { key: CryptoKey; algorithm: SigningAlgorithm }>();
  for (const signer of signers) {
    const jwk = signer.keyObject().export({ format: 'jwk' }) as JWK;
    publicKeys.set(signer.kid, { key: (await importJWK(jwk, signer.alg)) as CryptoKey, algorithm: signer.alg });
  }
  return { algorithm: rows[0]?.algorithm ?? DEFAULT_ALGORITHM, signers, publicKeys };
}
