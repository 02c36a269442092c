import Type, { type Static } from 'typebox';
import { Nullable, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { incrementVersion } from '../../tenants.ts';
import { PUBLISHED_MS, rotateKeys } from '../../tokens/keys/key-rotation.ts';
import type { SigningAlgorithm } from '../../tokens/keys/signer.ts';
import {
  DEFAULT_ALGORITHM,
  generateSigningKey,
  readSigningKeys,
  SIGNING_ALGORITHMS,
} from '../../tokens/keys/signing-keys.ts';
import { optional } from '../shared/fields.ts';

const Algorithm = Type.Enum(SIGNING_ALGORITHMS);
/** The key types of the compatible API, each with the algorithm that it is used for there. */
const KINDS = { EC: 'ES384', RSA: 'RS256' } as const;
const RequestedAlgorithm = Type.Enum([...SIGNING_ALGORITHMS, ...(Object.keys(KINDS) as (keyof typeof KINDS)[])], {
  description: Object.entries(KINDS)
    .map(([kind, algorithm]) => `\`${kind}\` means ${algorithm}`)
    .join(', '),
});
const algorithmOf = (wanted: Static<typeof RequestedAlgorithm>): SigningAlgorithm =>
  wanted === 'EC' || wanted === 'RSA' ? KINDS[wanted] : wanted;

const SigningKey = Type.Object({
  tenantId: Type.String(),
  id: Type.String({ description: 'The `kid` of the JWKS' }),
  signingKeyAlgorithm: Algorithm,
  state: Type.Enum(['next', 'current', 'previous'], {
    description: '`current` signs tokens, `next` will sign them, `previous` signed them. All are in the JWKS.',
  }),
  createdAt: Timestamp,
  retireAt: Nullable(Timestamp),
});

const viewOf = <K extends { algorithm: SigningAlgorithm }>({ algorithm, ...key }: K) => ({
  ...key,
  signingKeyAlgorithm: algorithm,
});

const KeyRotation = Type.Object({
  rotationDays: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'null: the value of `SIGNING_KEY_ROTATION_DAYS`',
    }),
  ),
});

const CONFIG = { key: 'key-rotation' } as const;

export const signingKeys = [
  operation('GET /configs/oidc/private-keys', {
    summary: 'List signing keys, the current one first',
    role: 'viewer',
    description: 'Private keys are never returned.',
    status: 200,
    returns: Type.Array(SigningKey),
    run: async ({ store }) => (await readSigningKeys(store)).map(viewOf),
  }),

  operation('POST /configs/oidc/private-keys/rotate', {
    summary: 'Rotate the signing keys',
    role: 'owner',
    description: `The first call publishes a new key. It signs tokens once every resource server can have read it, after about ${Math.round(PUBLISHED_MS / 60_000)} minutes: automatically, or at a second call. The replaced key stays published until its last token expires. Use \`immediately\` only in an emergency: it does not wait, so resource servers refuse new tokens until they read the JWKS again. By default the algorithm stays that of the current key.`,
    status: 200,
    body: optional({ signingKeyAlgorithm: RequestedAlgorithm, immediately: Type.Boolean() }),
    returns: Type.Array(SigningKey),
    load: async ({ store }) => (await readSigningKeys(store))[0]?.algorithm ?? DEFAULT_ALGORITHM,
    prepare: ({ body, loaded }) =>
      generateSigningKey(body.signingKeyAlgorithm ? algorithmOf(body.signingKeyAlgorithm) : loaded),
    async run({ body: { immediately = false }, prepared, store, secrets, now }) {
      return (await rotateKeys(store, secrets, { prepared, immediately, now })).map(viewOf);
    },
    audit: (keys, { body }) => ({ ...body, keys: keys.map(({ id, state }) => ({ id, state })) }),
  }),

  operation('DELETE /configs/oidc/private-keys/:keyId', {
    summary: 'Delete a signing key that is not the current one',
    role: 'owner',
    description: 'Tokens signed with it are no longer valid.',
    status: 204,
    errors: ['entity.not_found', 'signing_key.is_current'],
    async run({ params: { keyId }, store }) {
      await incrementVersion(store);
      const key = await store.find('signingKeys', { id: keyId });
      if (key?.state === 'current') throw new ServiceError('signing_key.is_current');
      await store.remove('signingKeys', { id: keyId });
    },
  }),

  operation('GET /configs/oidc/key-rotation', {
    summary: 'Get the rotation interval of signing keys',
    role: 'viewer',
    status: 200,
    returns: KeyRotation,
    run: async ({ store }) => ({ rotationDays: null, ...(await store.find('configs', CONFIG))?.settings }),
  }),

  operation('PATCH /configs/oidc/key-rotation', {
    summary: 'Update the rotation interval of signing keys',
    role: 'owner',
    status: 200,
    body: KeyRotation,
    returns: KeyRotation,
    async run({ body, store }) {
      await store.put('configs', CONFIG, { settings: body });
      return body;
    },
  }),
];
