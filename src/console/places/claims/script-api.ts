import type { ScriptRunRow } from '../../../database/tables/index.ts';
import { html } from '../../../pages/html.ts';
import { state } from '../../parts/parts.ts';
import type { ConsoleRequest, OperationInput } from '../../route.ts';
import { kindPath, type TokenKind } from './kinds.ts';

/** A script and its settings, as the Management API returns them. */
export interface ScriptValue {
  script: string;
  /** Pages show the names only. */
  environmentVariables?: Record<string, string>;
  tokenSample?: Record<string, unknown>;
  contextSample?: Record<string, unknown>;
  blockIssuanceOnError: boolean;
  recordInputs: boolean;
}

export interface VersionLine {
  number: number;
  sha256: string;
  authorId: string;
  createdAt: number;
  active: boolean;
}

export interface Version extends VersionLine {
  value: ScriptValue;
}

export interface Run extends Omit<ScriptRunRow, 'tenantId' | 'tokenType' | 'number' | 'inputEncrypted'> {
  version: number;
  inputRecorded: boolean;
}

/** Runs an operation on the script of this kind. @param path path below the script's */
export const performOn = <T>(
  { perform }: ConsoleRequest,
  { tokenType }: TokenKind,
  method: string,
  path = '',
  { params, ...input }: OperationInput = {},
) =>
  perform<T>(`${method} /configs/jwt-customizer/:tokenTypePath${path}`, {
    ...input,
    params: { ...params, tokenTypePath: tokenType },
  });

export const readVersions = async (request: ConsoleRequest, kind: TokenKind): Promise<VersionLine[]> =>
  (await performOn<VersionLine[]>(request, kind, 'GET', '/versions')).value;

export async function readVersion(request: ConsoleRequest, kind: TokenKind, number: number | string): Promise<Version> {
  const params = { version: String(number) };
  return (await performOn<Version>(request, kind, 'GET', '/versions/:version', { params })).value;
}

/** Returns the active version, or the newest if none is active; undefined if there is none. */
export async function readBase(request: ConsoleRequest, kind: TokenKind): Promise<Version | undefined> {
  const versions = await readVersions(request, kind);
  const base = versions.find(({ active }) => active) ?? versions[0];
  return base && readVersion(request, kind, base.number);
}

/** Creates and activates the next version. Returns the message for the page, with the path to undo it. */
export async function writeVersion(
  request: ConsoleRequest,
  kind: TokenKind,
  base: Version | undefined,
  changes: Partial<ScriptValue> & { script: string },
): Promise<{ text: string; undo: { path: string } }> {
  // PATCH merges with the active version in its transaction. Without an active version there is nothing to merge with.
  const body = base?.active ? changes : { ...base?.value, ...changes };
  await performOn(request, kind, base?.active ? 'PATCH' : 'PUT', '', { body });
  const [newest] = await readVersions(request, kind);
  const back = base?.active ? `/versions/${base.number}/activate` : '/off';
  return { text: `Version ${newest?.number} is active.`, undo: { path: kindPath(kind) + back } };
}

export const authorOf = ({ administrator }: ConsoleRequest, { authorId }: VersionLine) =>
  authorId === administrator.id ? html`you` : html`<code class="mono">${authorId}</code>`;

const RESULT_NAMES: Record<string, string> = {
  ok: 'Succeeded',
  denied: 'Access denied',
  thrown: 'Threw an error',
  timeout: 'Timed out',
  memory: 'Out of memory',
  killed: 'Stopped',
  'invalid-result': 'Invalid result',
  'too-large': 'Result too large',
  overloaded: 'Overloaded',
  quarantined: 'Disabled after repeated crashes',
};

export const resultName = (result: string): string => RESULT_NAMES[result] ?? result;

export const resultState = (result: string) =>
  state(result === 'ok' ? 'ok' : result === 'denied' ? 'warn' : 'bad', resultName(result));
