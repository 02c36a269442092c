import type { ScriptRunRow } from '../../../database/tables/index.ts';
import { html } from '../../../pages/html.ts';
import { state } from '../../parts/parts.ts';
import type { Visit } from '../../route.ts';
import { type Kind, placeOf } from './kinds.ts';

/** What a script is uploaded with, as the Management API answers it. */
export interface ScriptValue {
  script: string;
  /** Never shown: names only. */
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

export const routeOf = ({ tokenType }: Kind, method: string, rest = ''): [string, Record<string, string>] => [
  `${method} /configs/jwt-customizer/:tokenTypePath${rest}`,
  { tokenTypePath: tokenType },
];

export async function readVersions({ perform }: Visit, kind: Kind): Promise<VersionLine[]> {
  const [route, params] = routeOf(kind, 'GET', '/versions');
  return (await perform<VersionLine[]>(route, { params })).value;
}

export async function readVersion({ perform }: Visit, kind: Kind, number: number | string): Promise<Version> {
  const [route, params] = routeOf(kind, 'GET', '/versions/:version');
  return (await perform<Version>(route, { params: { ...params, version: String(number) } })).value;
}

/** The version in use, or the newest when none is; undefined before the first. */
export async function readBase(visit: Visit, kind: Kind): Promise<Version | undefined> {
  const versions = await readVersions(visit, kind);
  const base = versions.find(({ active }) => active) ?? versions[0];
  return base && readVersion(visit, kind, base.number);
}

/** Writes the next version, which is the one in use from then on, and says how to take it back. */
export async function writeVersion(
  visit: Visit,
  kind: Kind,
  base: Version | undefined,
  changes: Partial<ScriptValue> & { script: string },
): Promise<{ text: string; undo: { path: string } }> {
  // What is in use is merged by the row itself, in its transaction; after a while without, nothing is there to merge with.
  const [route, params] = routeOf(kind, base?.active ? 'PATCH' : 'PUT');
  await visit.perform(route, { params, body: base?.active ? changes : { ...base?.value, ...changes } });
  const [newest] = await readVersions(visit, kind);
  const back = base?.active ? `/versions/${base.number}/activate` : '/off';
  return { text: `Version ${newest?.number} is active.`, undo: { path: placeOf(kind) + back } };
}

export const authorOf = ({ administrator }: Visit, { authorId }: VersionLine) =>
  authorId === administrator.id ? html`you` : html`<code class="mono">${authorId}</code>`;

export const resultState = (result: string) =>
  result === 'ok' ? state('ok', 'ok') : result === 'denied' ? state('warn', 'denied') : state('bad', result);
