import Type, { type Static } from 'typebox';
import type { TokenType } from '../../database/tables/index.ts';
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

/** Where it stands in a path. */
export const TokenTypePath = Type.Object({ tokenTypePath: Type.Enum(['access-token', 'client-credentials']) });
export const tokenTypeOf = ({ tokenTypePath }: { tokenTypePath: string }): TokenType => tokenTypePath as TokenType;

export const Script = Type.String({
  minLength: 1,
  maxLength: MAX_SCRIPT_BYTES,
  description: 'Defines a top-level `getCustomJwtClaims`, sync or async; at most 64 KiB',
  examples: [SCRIPT],
});
export const EnvironmentVariables = Type.Record(Type.String(), Type.String(), {
  description: 'Encrypted at rest; at most 32 KiB as JSON',
  examples: [{ REGION: 'eu' }],
});

export const ScriptValue = Type.Object({
  script: Script,
  environmentVariables: Type.Optional(EnvironmentVariables),
  tokenSample: Type.Optional(JsonObject),
  contextSample: Type.Optional(JsonObject),
  blockIssuanceOnError: Type.Optional(
    Type.Boolean({ default: true, description: '`false`: a failing run issues the token without these claims' }),
  ),
  recordInputs: Type.Optional(Type.Boolean({ default: false, description: 'Keeps the input of each run for tests' })),
});

/** Of a run, in the log or tried. */
export const RunFacts = Type.Object({
  result: Type.Enum(scriptResults),
  message: Nullable(Type.String()),
  wallMs: Type.Integer(),
  cpuMs: Type.Integer(),
  droppedClaims: Type.Array(Type.String()),
  console: Type.Array(JsonObject),
});

interface Uploaded {
  script: string;
  environmentVariables?: Static<typeof EnvironmentVariables>;
}

/** @throws 400 for what is too large */
export function checkSizes({ script, environmentVariables = {} }: Uploaded): void {
  if (Buffer.byteLength(script) > MAX_SCRIPT_BYTES)
    throw invalidBody(`body.script: is larger than ${MAX_SCRIPT_BYTES} bytes`);
  if (Buffer.byteLength(JSON.stringify(environmentVariables)) > MAX_ENVIRONMENT_BYTES)
    throw invalidBody(`body.environmentVariables: is larger than ${MAX_ENVIRONMENT_BYTES} bytes as JSON`);
}

/** @throws 400 for what is too large, 422 `jwt_customizer.general` with line and column for what does not compile */
export async function checkScript(
  tenantId: string,
  value: Uploaded,
  compileScript: Services['compileScript'],
): Promise<void> {
  checkSizes(value);
  const fault = await compileScript(tenantId, value.script);
  if (fault) throw new ServiceError('jwt_customizer.general', { message: fault.message, data: { ...fault } });
}
