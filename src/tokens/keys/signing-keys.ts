import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import type { SigningKeyRow } from '../../database/tables/index.ts';
import { Signer, type SigningAlgorithm } from './signer.ts';

/** How long others may keep the JWKS. */
export const JWKS_MAX_AGE_SECONDS = 300;

export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'ES384', 'EdDSA'] as const satisfies SigningAlgorithm[];

/** ES256 is fast, and every verifier accepts it. */
export const DEFAULT_ALGORITHM: SigningAlgorithm = 'ES256';

export interface SigningKeys {
  algorithm: SigningAlgorithm;
  /** The one that signs first, then what is only published. */
  signers: Signer[];
  /** By `kid`, to verify with. */
  publicKeys: ReadonlyMap<string, { key: CryptoKey; algorithm: SigningAlgorithm }>;
}

export const signingKeyPurposeOf = (tenantId: string, id: string): string => `oidc-key:${tenantId}:${id}`;

/** A key pair that is nobody's yet. */
export interface NewSigningKey {
  algorithm: SigningAlgorithm;
  /** With private parts, as JSON. */
  jwk: string;
}

/** Slow for RS256, so it is done before the transaction opens. */
export async function generateSigningKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }),
  });
  return { algorithm, jwk: JSON.stringify(await exportJWK(privateKey)) };
}

/** The private part is encrypted. The first key of a tenant signs at once. */
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
/** The one that signs first. */
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
