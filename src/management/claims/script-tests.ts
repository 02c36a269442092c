import Type, { type Static } from 'typebox';
import type { SecretBox } from '../../base/secret-box.ts';
import { inputPurpose } from '../../custom-claims/claims.ts';
import { tokenPreview, withoutReserved } from '../../custom-claims/reserved-claims.ts';
import { ownScriptLimits } from '../../custom-claims/tenant-limits.ts';
import type { TenantStore } from '../../database/store/tenant-store.ts';
import { Id, JsonObject, Nullable } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import { type Input, operation, type Services } from '../../http/operations/operation.ts';
import { invalidBody } from '../shared/fields.ts';
import { checkSizes, EnvironmentVariables, RunFacts, Script } from './script-value.ts';

const TestScript = Type.Object({
  tokenType: Type.Enum(['access-token', 'client-credentials']),
  script: Script,
  environmentVariables: Type.Optional(EnvironmentVariables),
  token: Type.Optional(JsonObject),
  context: Type.Optional(JsonObject),
  runId: Type.Optional(
    Type.String({ ...Id, description: 'A run whose recorded input is used instead of `token` and `context`' }),
  ),
});
type TestScript = Static<typeof TestScript>;

const TEST: TestScript = {
  tokenType: 'access-token',
  script: 'const getCustomJwtClaims = async ({ context }) => ({ plan: context.user.customData.plan });',
  token: { sub: 'r2d6q0w8k1x5' },
  context: { user: { id: 'r2d6q0w8k1x5', customData: { plan: 'gold' } } },
};

/** Line and column are 1-based. */
const Fault = Type.Object({
  message: Type.String(),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
});

/** Returns the tenant's limits and, if a run is named, its recorded input, still sealed. */
async function load({ body: { runId, token, context }, store }: { body: TestScript; store: TenantStore }) {
  if (runId === undefined) {
    if (!token || !context) throw invalidBody(`body.${token ? 'context' : 'token'}: is required unless runId is sent`);
    return { limits: await ownScriptLimits(store), recorded: undefined };
  }
  if (token || context) throw invalidBody('body.runId: cannot be combined with token or context');
  const run = await store.get('scriptRuns', { id: runId });
  if (run.inputEncrypted === null) throw invalidBody('body.runId: the input of this run was not recorded');
  const recorded = { sealed: run.inputEncrypted, jti: run.jti ?? '' };
  return { limits: await ownScriptLimits(store), recorded };
}

type ScriptTest = Input<unknown, TestScript> & { loaded: Awaited<ReturnType<typeof load>>; secrets: SecretBox };

async function testScript(
  { body, loaded: { limits, recorded }, tenant, secrets }: ScriptTest,
  { runScript }: Services,
) {
  checkSizes(body);
  const { script, environmentVariables = {} } = body;
  const { token = {}, context = {} } = recorded
    ? JSON.parse(secrets.open(recorded.sealed, inputPurpose(tenant.id, recorded.jti)))
    : body;
  const trial = await runScript(tenant.id, script, { token, context, environmentVariables }, limits);
  if (trial.result === 'overloaded')
    throw new ServiceError('request.unavailable', { message: trial.message ?? '', headers: { 'Retry-After': '1' } });
  return { trial, token: token as Record<string, unknown> };
}

export const scriptTests = [
  operation('POST /configs/jwt-customizer/test', {
    summary: 'Test a claims script and return its result',
    role: 'editor',
    description: 'Responds 403 if the script denies the token, and 422 with the reason in `data` if it fails.',
    status: 200,
    body: TestScript,
    example: TEST,
    returns: JsonObject,
    errors: [
      'jwt_customizer.general',
      ['jwt_customizer.general', 403],
      'entity.not_exists_with_id',
      'request.unavailable',
    ],
    load,
    async prepare(input, services) {
      const { result, output, message = '' } = (await testScript(input, services)).trial;
      if (output) return withoutReserved(output).kept;
      const status = result === 'denied' ? 403 : 422;
      throw new ServiceError('jwt_customizer.general', { status, message, data: { message, error: result } });
    },
    run: async ({ prepared }) => prepared,
  }),

  operation('POST /configs/jwt-customizer/trial', {
    summary: 'Test a claims script and return everything about the run',
    role: 'editor',
    description:
      'Responds 200 even if the script fails. `token` is the payload of the resulting token without its timestamps, or null if none would be issued.',
    status: 200,
    body: TestScript,
    example: TEST,
    returns: Type.Object({ ...RunFacts.properties, token: Nullable(JsonObject) }),
    errors: ['entity.not_exists_with_id', 'request.unavailable'],
    load,
    async prepare(input, services) {
      const { trial, token } = await testScript(input, services);
      const preview = trial.output && tokenPreview(input.tenant.issuer, token, trial.output);
      return { ...trial, message: trial.message ?? null, token: null, droppedClaims: [], ...preview };
    },
    run: async ({ prepared }) => prepared,
  }),

  operation('POST /configs/jwt-customizer/check', {
    summary: 'Compile a claims script without running it',
    role: 'editor',
    status: 200,
    isRead: true,
    body: Type.Object({ script: Script }),
    returns: Type.Object({ fault: Nullable(Fault) }),
    async prepare({ body, tenant }, { compileScript }) {
      checkSizes(body);
      return { fault: (await compileScript(tenant.id, body.script)) ?? null };
    },
    run: async ({ prepared }) => prepared,
  }),
];
