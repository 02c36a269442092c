import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Type from 'typebox';
import { activeVersion, saveVersion, scriptValueOf } from '../../custom-claims/versions.ts';
import { ServiceError } from '../../errors.ts';
import { authorOf, operation } from '../../http/operations/operation.ts';
import { checkScript, ScriptValue, TokenTypePath } from './script-value.ts';

const TOKEN_TYPES = ['access-token', 'client-credentials'] as const;
const KEYS = { 'access-token': 'jwt.accessToken', 'client-credentials': 'jwt.clientCredentials' } as const;

/** Declared beside the sandbox, which passes these values to scripts. */
const CLAIMS_TYPES = readFileSync(join(import.meta.dirname, '../../../sandbox/claims.d.ts'), 'utf8');

const PatchValue = Type.Object({ ...Type.Partial(ScriptValue).properties, script: ScriptValue.properties.script });

export const jwtCustomizer = [
  operation('GET /configs/jwt-customizer', {
    summary: 'List the active claims scripts',
    role: 'viewer',
    status: 200,
    returns: Type.Array(Type.Object({ key: Type.Enum(Object.values(KEYS)), value: ScriptValue })),
    async run({ store, secrets }) {
      const versions = await Promise.all(TOKEN_TYPES.map((tokenType) => activeVersion(store, tokenType)));
      return versions.flatMap((version) =>
        version ? [{ key: KEYS[version.tokenType], value: scriptValueOf(version, secrets) }] : [],
      );
    },
  }),

  operation('GET /configs/jwt-customizer/types', {
    summary: 'Get the TypeScript declaration for authors of claims scripts',
    role: 'viewer',
    status: 200,
    returns: Type.String(),
    contentType: 'text/plain',
    run: async () => CLAIMS_TYPES,
  }),

  operation('GET /configs/jwt-customizer/:tokenTypePath', {
    summary: 'Get the active claims script of a token type',
    role: 'viewer',
    status: 200,
    params: TokenTypePath,
    returns: ScriptValue,
    errors: ['entity.not_exists_with_id'],
    async run({ params: { tokenTypePath }, store, secrets }) {
      const version = await activeVersion(store, tokenTypePath);
      if (!version) throw new ServiceError('entity.not_exists_with_id');
      return scriptValueOf(version, secrets);
    },
  }),

  operation('PUT /configs/jwt-customizer/:tokenTypePath', {
    summary: 'Upload a claims script as a new version and activate it',
    role: 'editor',
    description: 'Responds 201 if no version was active before, otherwise 200.',
    status: 200,
    params: TokenTypePath,
    body: ScriptValue,
    returns: ScriptValue,
    errors: ['jwt_customizer.general'],
    prepare: ({ body, tenant }, { compileScript }) => checkScript(tenant.id, body, compileScript),
    async run({ params: { tokenTypePath: tokenType }, body, caller, store, now, secrets }) {
      const isFirst = !(await store.find('activeScripts', { tokenType }));
      const version = await saveVersion(store, tokenType, body, { authorId: authorOf(caller), now, secrets });
      return { ...scriptValueOf(version, secrets), version: version.number, isFirst };
    },
    statusOf: ({ isFirst }) => (isFirst ? 201 : 200),
    otherStatus: 201,
    audit: ({ version }) => ({ version }),
  }),

  operation('PATCH /configs/jwt-customizer/:tokenTypePath', {
    summary: 'Replace fields of the active claims script, as a new version that is activated',
    role: 'editor',
    status: 200,
    params: TokenTypePath,
    body: PatchValue,
    returns: ScriptValue,
    errors: ['entity.not_exists', 'jwt_customizer.general'],
    prepare: ({ body, tenant }, { compileScript }) => checkScript(tenant.id, body, compileScript),
    async run({ params: { tokenTypePath }, body, caller, store, now, secrets }) {
      const active = await activeVersion(store, tokenTypePath);
      if (!active) throw new ServiceError('entity.not_exists');
      const merged = { ...scriptValueOf(active, secrets), ...body };
      const by = { authorId: authorOf(caller), now, secrets };
      const version = await saveVersion(store, tokenTypePath, merged, by);
      return { ...scriptValueOf(version, secrets), version: version.number };
    },
    audit: ({ version }) => ({ version }),
  }),

  operation('DELETE /configs/jwt-customizer/:tokenTypePath', {
    summary: 'Deactivate the claims script of a token type',
    role: 'editor',
    description: 'Its versions are kept.',
    status: 204,
    params: TokenTypePath,
    errors: ['entity.not_found'],
    run: ({ params: { tokenTypePath: tokenType }, store }) => store.remove('activeScripts', { tokenType }),
  }),
];
