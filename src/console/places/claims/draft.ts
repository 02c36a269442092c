import { ServiceError } from '../../../errors.ts';
import type { Kind } from './kinds.ts';
import { SAMPLES, STARTER } from './samples.ts';
import type { ScriptValue } from './stored.ts';

/** What stands in the editor's form: text as it was typed. */
export interface Draft {
  script: string;
  tokenSample: string;
  contextSample: string;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
  /** The recorded run to try it on; empty: the samples. */
  run: string;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** To begin with: a version, or the shortest script there is. */
export function draftOf({ tokenType }: Kind, value: ScriptValue | undefined, run = ''): Draft {
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

/** Browsers send lines with CR LF. */
const textOf = (sent: URLSearchParams, name: string): string => (sent.get(name) ?? '').replaceAll('\r\n', '\n');

export const sentDraft = (sent: URLSearchParams): Draft => ({
  script: textOf(sent, 'script'),
  tokenSample: textOf(sent, 'tokenSample'),
  contextSample: textOf(sent, 'contextSample'),
  blockIssuanceOnError: sent.get('blockIssuanceOnError') === 'true',
  recordInputs: sent.get('recordInputs') === 'true',
  run: sent.get('run') ?? '',
});

/** The same as fields of a form. */
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
    // Said below: it is no object either.
  }
  throw new ServiceError('guard.invalid_input', { details: `body.${name}: must be object` });
}

/** @throws 400 `guard.invalid_input` for a sample that is no JSON object */
export const samplesOf = (draft: Draft) => ({
  tokenSample: objectOf(draft, 'tokenSample'),
  contextSample: objectOf(draft, 'contextSample'),
});

/** As it is uploaded, but for the environment variables, which are changed elsewhere. */
export const uploadOf = (draft: Draft): Omit<ScriptValue, 'environmentVariables'> => ({
  script: draft.script,
  ...samplesOf(draft),
  blockIssuanceOnError: draft.blockIssuanceOnError,
  recordInputs: draft.recordInputs,
});
