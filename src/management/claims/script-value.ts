import Type, { type Static } from 'typebox';
import { SECRET } from '../../base/project.ts';
import { JsonObject, Nullable, scriptResults } from '../../entities.ts';
import { ServiceError } from '../../errors.ts';
import type { Services } from '../../http/operations/operation.ts';
import { invalidBody } from '../shared/fields.ts';

const MAX_SCRIPT_BYTES = 64 * 1024;
const MAX_ENVIRONMENT_BYTES = 32 * 1024;

const SCRIPT = `const getCustomJwtClaims = async ({ token, context, environmentVariables }) => {
  if (context.grant?.type !== 'urn:ietf:params:oauth:grant-type:token-exchange') return {};
  const { ticketId, reason, supportEngineerId } = context.grant.subjectTokenContext;
  return { impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId } };
};`;

/** The path parameter that names the token type. */
export const TokenTypePath = Type.Object({ tokenTypePath: Type.Enum(['access-token', 'client-credentials']) });

export const Script = Type.String({
  minLength: 1,
  maxLength: MAX_SCRIPT_BYTES,
  description: `Defines a top-level function \`getCustomJwtClaims\`, sync or async; at most ${MAX_SCRIPT_BYTES / 1024} KiB`,
  examples: [SCRIPT],
});
export const EnvironmentVariables = Type.Record(Type.String(), Type.String(), {
  [SECRET]: true,
  description: `Encrypted at rest; at most ${MAX_ENVIRONMENT_BYTES / 1024} KiB as JSON`,
  examples: [{ REGION: 'eu' }],
});

export const ScriptValue = Type.Object({
  script: Script,
  environmentVariables: Type.Optional(EnvironmentVariables),
  tokenSample: Type.Optional(JsonObject),
  contextSample: Type.Optional(JsonObject),
  blockIssuanceOnError: Type.Optional(
    Type.Boolean({
      default: true,
      description: '`false`: if the script fails, the token is issued without custom claims',
    }),
  ),
  recordInputs: Type.Optional(
    Type.Boolean({ default: false, description: 'Keep the input of each run, to test scripts with it' }),
  ),
});

/** Fields of a run that the run log and a test share. */
export const RunFacts = Type.Object({
  result: Type.Enum(scriptResults),
  message: Nullable(Type.String()),
  wallMs: Type.Integer(),
  cpuMs: Type.Integer(),
  droppedClaims: Type.Array(Type.String()),
  console: Type.Array(Type.Unsafe<{ level: string; text: string }>(JsonObject)),
});

type ScriptUpload = Pick<Static<typeof ScriptValue>, 'script' | 'environmentVariables'>;

/** @throws 400 when the script or its variables are too large */
export function checkSizes({ script, environmentVariables = {} }: ScriptUpload): void {
  if (Buffer.byteLength(script) > MAX_SCRIPT_BYTES)
    throw invalidBody(`body.script: must not be larger than ${MAX_SCRIPT_BYTES} bytes`);
  if (Buffer.byteLength(JSON.stringify(environmentVariables)) > MAX_ENVIRONMENT_BYTES)
    throw invalidBody(`body.environmentVariables: must not be larger than ${MAX_ENVIRONMENT_BYTES} bytes as JSON`);
}

/**
 * @throws 400 for what is too large, 422 `jwt_customizer.general` with line and column for a script that does not
 * compile
 */
export async function checkScript(
  tenantId: string,
  value: ScriptUpload,
  compileScript: Services['compileScript'],
): Promise<void> {
  checkSizes(value);
  const fault = await compileScript(tenantId, value.script);
  if (fault) throw new ServiceError('jwt_customizer.general', { message: fault.message, data: { ...fault } });
}
