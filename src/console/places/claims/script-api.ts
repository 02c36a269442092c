import { type Html, html } from '../../../pages/html.ts';
import type { Item, Result } from '../../api.ts';
import { applicationLink, type Names, namesOf, userLink } from '../../parts/names.ts';
import { state } from '../../parts/parts.ts';
import type { ConsoleRequest } from '../../route.ts';
import { kindPath, type TokenKind } from './kinds.ts';

/** Path of a script in the Management API. */
export const SCRIPT = '/configs/jwt-customizer/:tokenTypePath';
export const scriptOf = ({ tokenType }: TokenKind) => ({ tokenTypePath: tokenType });

export type Version = Result<`GET ${typeof SCRIPT}/versions/:version`>;
export type VersionLine = Item<`GET ${typeof SCRIPT}/versions`>;
/** A script and its settings. */
export type ScriptValue = Version['value'];
export type Run = Result<`GET ${typeof SCRIPT}/runs/:runId`>;

export const readVersions = async ({ perform }: ConsoleRequest, kind: TokenKind): Promise<VersionLine[]> =>
  (await perform(`GET ${SCRIPT}/versions`, { params: scriptOf(kind) })).value;

export async function readVersion({ perform }: ConsoleRequest, kind: TokenKind, number: number | string) {
  const params = { ...scriptOf(kind), version: String(number) };
  return (await perform(`GET ${SCRIPT}/versions/:version`, { params })).value;
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
  const params = scriptOf(kind);
  if (base?.active) await request.perform(`PATCH ${SCRIPT}`, { params, body });
  else await request.perform(`PUT ${SCRIPT}`, { params, body });
  const [newest] = await readVersions(request, kind);
  const back = base?.active ? `/versions/${base.number}/activate` : '/off';
  return { text: `Version ${newest?.number} is active.`, undo: { path: kindPath(kind) + back } };
}

/** Names of the authors: administrators, and applications that uploaded a version. */
export const authorNames = (request: ConsoleRequest, versions: readonly VersionLine[]): Promise<Names> => {
  const ids = versions.map(({ authorId }) => authorId);
  return namesOf(request, { users: ids, applications: ids });
};

export function authorOf(request: ConsoleRequest, names: Names, { authorId }: VersionLine): Html {
  if (authorId === request.administrator.id) return html`you`;
  return names.applications.has(authorId)
    ? applicationLink(request, names, authorId)
    : userLink(request, names, authorId);
}

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
