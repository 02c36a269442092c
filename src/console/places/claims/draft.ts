import { ServiceError } from '../../../errors.ts';
import type { TokenKind } from './kinds.ts';
import { SAMPLES, STARTER } from './samples.ts';
import type { ScriptValue } from './script-api.ts';

/** The values of the editor's form, as text. */
export interface Draft {
  script: string;
  tokenSample: string;
  contextSample: string;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
  /** Id of the recorded run whose input the script is tested with; empty: the sample data. */
  run: string;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns the draft that the editor starts with: a version, or the starter script. */
export function draftOf({ tokenType }: TokenKind, value: ScriptValue | undefined, run = ''): Draft {
  const { token, context } = SAMPLES[tokenType];
  return {
    script: value?.script ?? STARTER,
    tokenSample: pretty(value?.tokenSample ?? token),
    contextSample: pretty(value?.contextSample ?? context),
    blockIssuanceOnError: value?.blockIssuanceOnError ?? true,
    recordInputs: value?.recordInputs ?? false,
    run,
  };
}

/** Browsers submit line breaks as CR LF. */
const textOf = (sent: URLSearchParams, name: string): string => (sent.get(name) ?? '').replaceAll('\r\n', '\n');

export const sentDraft = (sent: URLSearchParams): Draft => ({
  script: textOf(sent, 'script'),
  tokenSample: textOf(sent, 'tokenSample'),
  contextSample: textOf(sent, 'contextSample'),
  blockIssuanceOnError: sent.get('blockIssuanceOnError') === 'true',
  recordInputs: sent.get('recordInputs') === 'true',
  run: sent.get('run') ?? '',
});

/** Returns the draft as form fields. */
export const fieldsOfDraft = ({ blockIssuanceOnError, recordInputs, ...texts }: Draft): Record<string, string> => ({
  ...texts,
  ...(blockIssuanceOnError && { blockIssuanceOnError: 'true' }),
  ...(recordInputs && { recordInputs: 'true' }),
});

function objectOf(draft: Draft, name: 'tokenSample' | 'contextSample'): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(draft[name]);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Invalid JSON is refused below, like any value that is not an object.
  }
  throw new ServiceError('guard.invalid_input', { details: `body.${name}: must be object` });
}

/** @throws 400 `guard.invalid_input` for a sample that is not a JSON object */
export const samplesOf = (draft: Draft) => ({
  tokenSample: objectOf(draft, 'tokenSample'),
  contextSample: objectOf(draft, 'contextSample'),
});

/** Returns the upload body without environment variables, which have their own page. */
export const uploadOf = (draft: Draft): Omit<ScriptValue, 'environmentVariables'> => ({
  script: draft.script,
  ...samplesOf(draft),
  blockIssuanceOnError: draft.blockIssuanceOnError,
  recordInputs: draft.recordInputs,
});
