import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { SigningKeyRow } from '../database/tables.ts';
import type { TenantStore } from '../database/tenant-store.ts';
import { newId } from '../ids.ts';
import type { SecretBox } from '../secret-box.ts';

export type SigningAlgorithm = SigningKeyRow['algorithm'];

/** ES256 is fast, and every verifier accepts it. */
export const DEFAULT_ALGORITHM: SigningAlgorithm = 'ES256';

export interface SigningKeys {
  algorithm: SigningAlgorithm;
  /** With private parts: the one that signs first, then what is only published. */
  jwks: JWK[];
  /** By `kid`, to verify with. */
  publicKeys: ReadonlyMap<string, { key: CryptoKey; algorithm: SigningAlgorithm }>;
}

const purposeOf = (tenantId: string, id: string) => `oidc-key:${tenantId}:${id}`;

/** A new key pair, private part encrypted. The first key of a tenant signs at once. */
export async function createSigningKey(
  store: TenantStore,
  secrets: SecretBox,
  { algorithm, state, now }: { algorithm: SigningAlgorithm; state: SigningKeyRow['state']; now: number },
): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }),
  });
  const id = newId();
  const jwk = JSON.stringify(await exportJWK(privateKey));
  return store.insert('signingKeys', {
    id,
    algorithm,
    state,
    privateKeyEncrypted: secrets.seal(jwk, purposeOf(store.tenantId, id)),
    createdAt: now,
    retireAt: null,
  });
}

const ORDER: Record<SigningKeyRow['state'], number> = { current: 0, next: 1, previous: 2 };
const PRIVATE_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth']);

const publicPart = (jwk: JWK): JWK =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE_MEMBERS.has(name)));

export async function loadSigningKeys(store: TenantStore, secrets: SecretBox): Promise<SigningKeys> {
  const rows = await store.from('signingKeys').select('*');
  rows.sort((one, other) => ORDER[one.state] - ORDER[other.state] || other.createdAt - one.createdAt);
  const jwks: JWK[] = rows.map(({ id, algorithm, privateKeyEncrypted }) => ({
    ...(JSON.parse(secrets.open(privateKeyEncrypted, purposeOf(store.tenantId, id))) as JWK),
    kid: id,
    alg: algorithm,
    use: 'sig',
  }));
  const publicKeys = new Map<string, { key: CryptoKey; algorithm: SigningAlgorithm }>();
  for (const jwk of jwks) {
    const algorithm = jwk.alg as SigningAlgorithm;
    publicKeys.set(jwk.kid as string, { key: (await importJWK(publicPart(jwk), algorithm)) as CryptoKey, algorithm });
  }
  return { algorithm: rows[0]?.algorithm ?? DEFAULT_ALGORITHM, jwks, publicKeys };
}
