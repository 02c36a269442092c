import { ServiceError } from '../../../errors.ts';
import type { TokenKind } from './kinds.ts';
import { SAMPLES, STARTER } from './samples.ts';
import type { ScriptValue, Version } from './script-api.ts';

/** The values of the editor's form, as text. */
export interface Draft {
  script: string;
  tokenSample: string;
  contextSample: string;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
  /** Id of the recorded run whose input the script is tested with; empty: the sample data. */
  run: string;
  /** Number of the version that was active when the editor was opened; `0` for none. */
  base: string;
}

/** Returns the number of the active version, as the form has it. */
export const baseOf = (version: Pick<Version, 'number' | 'active'> | undefined): string =>
  String(version?.active ? version.number : 0);

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

interface Opened {
  run?: string | undefined;
  base?: string;
}

/** Returns the draft that the editor starts with: a version, or the starter script. */
export function draftOf(
  { tokenType }: TokenKind,
  value: ScriptValue | undefined,
  { run = '', base = '0' }: Opened = {},
): Draft {
  const { token, context } = SAMPLES[tokenType];
  return {
    script: value?.script ?? STARTER,
    tokenSample: pretty(value?.tokenSample ?? token),
    contextSample: pretty(value?.contextSample ?? context),
    blockIssuanceOnError: value?.blockIssuanceOnError ?? true,
    recordInputs: value?.recordInputs ?? false,
    run,
    base,
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
  base: sent.get('base') ?? '0',
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

/**
 * Returns the upload body without environment variables, which have their own page. The editor shows invented samples for a
 * script without any. They are not uploaded unless they were edited.
 *
 * @param stored the version that the upload replaces
 */
export function uploadOf(
  kind: TokenKind,
  draft: Draft,
  stored: ScriptValue | undefined,
): Omit<ScriptValue, 'environmentVariables'> {
  const samples = samplesOf(draft);
  const initial = draftOf(kind, undefined);
  const isEdited = (name: keyof typeof samples) => stored?.[name] !== undefined || draft[name] !== initial[name];
  const { script, blockIssuanceOnError, recordInputs } = draft;
  return {
    script,
    ...(isEdited('tokenSample') && { tokenSample: samples.tokenSample }),
    ...(isEdited('contextSample') && { contextSample: samples.contextSample }),
    blockIssuanceOnError,
    recordInputs,
  };
}
