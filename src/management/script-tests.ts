import Type from 'typebox';
import { inputPurpose } from '../custom-claims/claims.ts';
import { Id, JsonObject } from '../entities.ts';
import { ServiceError } from '../errors.ts';
import { operation } from '../http/operation.ts';
import { invalidBody } from './fields.ts';
import { checkSizes, EnvironmentVariables, Script } from './script-value.ts';

const TestScript = Type.Object({
  tokenType: Type.Enum(['access-token', 'client-credentials']),
  script: Script,
  environmentVariables: Type.Optional(EnvironmentVariables),
  token: Type.Optional(JsonObject),
  context: Type.Optional(JsonObject),
  runId: Type.Optional(
    Type.String({ ...Id, description: 'A recorded run whose input to use in place of `token` and `context`' }),
  ),
});

export const scriptTests = [
  operation('POST /configs/jwt-customizer/test', {
    summary: 'Run a claims script once and answer with what it returned',
    description: 'Denied by the script: 403. Any other failure: 422, with the reason in `data`.',
    status: 200,
    body: TestScript,
    returns: JsonObject,
    errors: [
      'jwt_customizer.general',
      ['jwt_customizer.general', 403],
      'entity.not_exists_with_id',
      'request.unavailable',
    ],
    async load({ body: { runId, token, context }, store }) {
      if (runId === undefined) {
        if (!token || !context) throw invalidBody(`body.${token ? 'context' : 'token'}: is required without runId`);
        return undefined;
      }
      if (token || context) throw invalidBody('body.runId: takes the place of token and context');
      const run = await store.get('scriptRuns', { id: runId });
      if (run.inputEncrypted === null) throw invalidBody('body.runId: the input of this run was not recorded');
      return { sealed: run.inputEncrypted, jti: run.jti ?? '' };
    },
    async prepare({ body, loaded, tenant, secrets }, { runScript }) {
      checkSizes(body);
      const { token, context } = loaded
        ? JSON.parse(secrets.open(loaded.sealed, inputPurpose(tenant.id, loaded.jti)))
        : body;
      const { script, environmentVariables = {} } = body;
      const {
        result,
        output,
        message = '',
      } = await runScript(tenant.id, script, { token, context, environmentVariables });
      if (result === 'ok') return output;
      if (result === 'overloaded')
        throw new ServiceError('request.unavailable', { message, headers: { 'Retry-After': '1' } });
      const status = result === 'denied' ? 403 : 422;
      throw new ServiceError('jwt_customizer.general', { status, message, data: { message, error: result } });
    },
    run: async ({ prepared }) => prepared,
  }),
];
