import Type from 'typebox';
import { activate, scriptValueOf } from '../../custom-claims/versions.ts';
import type { ScriptRunRow } from '../../database/tables/index.ts';
import { Id, Nullable, scriptResults, Timestamp } from '../../entities.ts';
import { operation } from '../../http/operations/operation.ts';
import { optional } from '../shared/fields.ts';
import { amongNewest, containing, list, newestFirst, TextIn } from '../shared/listing.ts';
import { RunFacts, ScriptValue, TokenTypePath } from './script-value.ts';

const VersionPath = Type.Object({
  ...TokenTypePath.properties,
  version: Type.String({ pattern: '^[1-9]\\d{0,8}$', maxLength: 9, examples: ['1'] }),
});

const ScriptVersion = Type.Object({
  number: Type.Integer({ examples: [1] }),
  sha256: Type.String({ description: 'SHA-256 of the script, in hex' }),
  authorId: Type.String({ description: 'The application or the administrator that uploaded it' }),
  createdAt: Timestamp,
  active: Type.Boolean(),
});

const ScriptRun = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  ...RunFacts.properties,
  userId: Nullable(Type.String()),
  jti: Nullable(Type.String()),
  inputRecorded: Type.Boolean({ description: 'True if scripts can be tested with the input of this run' }),
  createdAt: Timestamp,
});

const runOf = ({ number, inputEncrypted, ...run }: ScriptRunRow) => ({
  ...run,
  version: number,
  inputRecorded: inputEncrypted !== null,
});

export const scriptVersions = [
  operation('GET /configs/jwt-customizer/:tokenTypePath/versions', {
    summary: 'List the versions of a claims script, newest first',
    role: 'viewer',
    status: 200,
    params: TokenTypePath,
    returns: Type.Array(ScriptVersion),
    async run({ params: { tokenTypePath: tokenType }, store }) {
      const columns = ['number', 'sha256', 'authorId', 'createdAt'] as const;
      const [active, rows] = await Promise.all([
        store.find('activeScripts', { tokenType }),
        store
          .from('scriptVersions')
          .where({ tokenType })
          .orderBy('number', 'desc')
          .select(...columns),
      ]);
      return rows.map((row) => ({ ...row, active: row.number === active?.number }));
    },
  }),

  operation('GET /configs/jwt-customizer/:tokenTypePath/versions/:version', {
    summary: 'Get a version of a claims script',
    role: 'viewer',
    status: 200,
    params: VersionPath,
    returns: Type.Object({ ...ScriptVersion.properties, value: ScriptValue }),
    errors: ['entity.not_exists_with_id'],
    async run({ params: { tokenTypePath: tokenType, version: number }, store, secrets }) {
      const version = await store.get('scriptVersions', { tokenType, number: Number(number) });
      const active = await store.find('activeScripts', { tokenType, number: version.number });
      return { ...version, active: active !== undefined, value: scriptValueOf(version, secrets) };
    },
  }),

  operation('POST /configs/jwt-customizer/:tokenTypePath/versions/:version/activate', {
    summary: 'Activate a version of a claims script',
    role: 'editor',
    description: 'Restores its script, environment variables and `blockIssuanceOnError`.',
    status: 200,
    params: VersionPath,
    returns: ScriptValue,
    errors: ['entity.not_exists_with_id'],
    async run({ params: { tokenTypePath: tokenType, version }, store, secrets }) {
      const number = Number(version);
      await activate(store, tokenType, number);
      return scriptValueOf(await store.get('scriptVersions', { tokenType, number }), secrets);
    },
  }),

  operation('GET /configs/jwt-customizer/:tokenTypePath/runs', {
    summary: 'List the runs of a claims script, newest first',
    role: 'viewer',
    description: 'Claim values are never returned.',
    status: 200,
    params: TokenTypePath,
    query: optional({
      result: Type.Enum(scriptResults),
      version: Type.Integer({ minimum: 1 }),
      inputRecorded: Type.Boolean(),
      since: Timestamp,
      until: Timestamp,
      userId: Type.String({ description: amongNewest('The user of the token') }),
      q: TextIn('the message, console output or token id of a run'),
    }),
    returns: Type.Array(ScriptRun),
    paginated: 'always',
    async run({
      params: { tokenTypePath: tokenType },
      query: { result, version, inputRecorded, since, until, userId, q: text },
      page,
      store,
    }) {
      const { rows, total } = await list(store, 'scriptRuns', {
        page,
        order: newestFirst,
        amongNewest:
          text || userId
            ? (runs) => {
                runs.where(containing(store, ['message', 'console', 'jti'], text));
                if (userId) runs.where({ userId });
              }
            : undefined,
        where(runs) {
          runs.where({ tokenType });
          if (result !== undefined) runs.where({ result });
          if (version !== undefined) runs.where({ number: version });
          if (inputRecorded !== undefined) runs[inputRecorded ? 'whereNotNull' : 'whereNull']('inputEncrypted');
          if (since !== undefined) runs.where('createdAt', '>=', since);
          if (until !== undefined) runs.where('createdAt', '<', until);
        },
      });
      return { rows: rows.map(runOf), total };
    },
  }),

  operation('GET /configs/jwt-customizer/:tokenTypePath/runs/:runId', {
    summary: 'Get a run of a claims script',
    role: 'viewer',
    description: 'Claim values are never returned.',
    status: 200,
    params: Type.Object({ ...TokenTypePath.properties, runId: Id }),
    returns: ScriptRun,
    errors: ['entity.not_exists_with_id'],
    run: async ({ params: { tokenTypePath: tokenType, runId: id }, store }) =>
      runOf(await store.get('scriptRuns', { id, tokenType })),
  }),
];
