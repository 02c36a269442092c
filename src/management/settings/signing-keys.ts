import Type, { type Static } from 'typebox';
import { Nullable, Timestamp } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { operation } from '../../http/operations/operation.ts';
import { incrementVersion } from '../../tenants.ts';
import { rotateKeys } from '../../tokens/keys/key-rotation.ts';
import type { SigningAlgorithm } from '../../tokens/keys/signer.ts';
import {
  DEFAULT_ALGORITHM,
  generateSigningKey,
  readSigningKeys,
  SIGNING_ALGORITHMS,
} from '../../tokens/keys/signing-keys.ts';
import { optional } from '../shared/fields.ts';

const Algorithm = Type.Enum(SIGNING_ALGORITHMS);
/** Kinds of keys, as the compatible API names them, with the algorithm that it uses each for. */
const KINDS = { EC: 'ES384', RSA: 'RS256' } as const;
const Wanted = Type.Enum([...SIGNING_ALGORITHMS, ...(Object.keys(KINDS) as (keyof typeof KINDS)[])], {
  description: '`EC` stands for ES384, `RSA` for RS256',
});
const algorithmOf = (wanted: Static<typeof Wanted>): SigningAlgorithm =>
  wanted === 'EC' || wanted === 'RSA' ? KINDS[wanted] : wanted;

const SigningKey = Type.Object({
  tenantId: Type.String(),
  id: Type.String({ description: 'The `kid` of the JWKS' }),
  signingKeyAlgorithm: Algorithm,
  state: Type.Enum(['next', 'current', 'previous'], {
    description: 'All are published; `current` signs, `next` will, `previous` did',
  }),
  createdAt: Timestamp,
  retireAt: Nullable(Timestamp),
});

const shown = <K extends { algorithm: string }>({ algorithm, ...key }: K) => ({
  ...key,
  signingKeyAlgorithm: algorithm,
});

export const signingKeys = [
  operation('GET /configs/oidc/private-keys', {
    summary: 'List the signing keys, the one that signs first',
    description: 'Never their private parts.',
    status: 200,
    returns: Type.Array(SigningKey),
    run: async ({ store }) => (await readSigningKeys(store)).map(shown),
  }),

  operation('POST /configs/oidc/private-keys/rotate', {
    summary: 'Take the next step of a rotation',
    description:
      'Publishes a key at once. It signs five minutes later, when every resource server can have seen it: by itself, or by this call. What it replaces stays published until its last token is over. `immediately` does not wait: for emergencies, as resource servers refuse new tokens until they read the JWKS again. Without an algorithm it stays the one of the current key.',
    status: 200,
    body: optional({ signingKeyAlgorithm: Wanted, immediately: Type.Boolean() }),
    returns: Type.Array(SigningKey),
    load: async ({ store }) => (await readSigningKeys(store))[0]?.algorithm ?? DEFAULT_ALGORITHM,
    prepare: ({ body, loaded }) =>
      generateSigningKey(body.signingKeyAlgorithm ? algorithmOf(body.signingKeyAlgorithm) : loaded),
    async run({ body: { immediately = false }, prepared, store, secrets, now }) {
      return (await rotateKeys(store, secrets, { prepared, immediately, now })).map(shown);
    },
    audit: (keys, { body }) => ({ ...body, keys: keys.map(({ id, state }) => ({ id, state })) }),
  }),

  operation('DELETE /configs/oidc/private-keys/:keyId', {
    summary: 'Delete a key that does not sign; tokens it signed are no longer valid',
    status: 204,
    errors: ['entity.not_found', 'signing_key.is_current'],
    async run({ params: { keyId }, store }) {
      await incrementVersion(store);
      const key = await store.find('signingKeys', { id: keyId });
      if (key?.state === 'current') throw new ServiceError('signing_key.is_current');
      await store.remove('signingKeys', { id: keyId });
    },
  }),
];
