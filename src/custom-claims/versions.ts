import { createHash } from 'node:crypto';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ScriptVersionRow, TokenType } from '../database/tables/index.ts';
import { ServiceError } from '../errors.ts';

/** A script as a tenant uploads it (docs/wire-contract.md, Custom claims). */
export interface ScriptValue {
  script: string;
  environmentVariables?: Record<string, string>;
  tokenSample?: Record<string, unknown>;
  contextSample?: Record<string, unknown>;
  blockIssuanceOnError?: boolean;
  recordInputs?: boolean;
}

export const environmentPurpose = (tenantId: string, tokenType: TokenType, number: number) =>
  `script-environment:${tenantId}:${tokenType}:${number}`;

/** Returns the active version, or undefined if there is none. */
export async function activeVersion(store: TenantStore, tokenType: TokenType): Promise<ScriptVersionRow | undefined> {
  const active = await store.find('activeScripts', { tokenType });
  return active && store.find('scriptVersions', { tokenType, number: active.number });
}

/** Saves the next version and activates it. Version numbers start at 1 and are never reused. */
export async function saveVersion(
  store: TenantStore,
  tokenType: TokenType,
  value: ScriptValue,
  { authorId, now, secrets }: { authorId: string; now: number; secrets: SecretBox },
): Promise<ScriptVersionRow> {
  const [last] = await store.from('scriptVersions').where({ tokenType }).max({ number: 'number' });
  const number = Number((last as { number?: number | null } | undefined)?.number ?? 0) + 1;
  const { environmentVariables } = value;
  const version = await store.insert('scriptVersions', {
    tokenType,
    number,
    script: value.script,
    sha256: createHash('sha256').update(value.script).digest('hex'),
    environmentEncrypted: environmentVariables
      ? secrets.seal(JSON.stringify(environmentVariables), environmentPurpose(store.tenantId, tokenType, number))
      : null,
    tokenSample: value.tokenSample ?? null,
    contextSample: value.contextSample ?? null,
    // Blocking is the default: a token without its custom claims looks valid, so a resource server could not notice the failure.
    blockIssuanceOnError: value.blockIssuanceOnError ?? true,
    recordInputs: value.recordInputs ?? false,
    authorId,
    createdAt: now,
  });
  await activate(store, tokenType, number);
  return version;
}

/** Makes a version the active one. Rolling back is the same call. @throws ServiceError 404 `entity.not_exists_with_id` */
export async function activate(store: TenantStore, tokenType: TokenType, number: number): Promise<void> {
  if (!(await store.find('scriptVersions', { tokenType, number }))) throw new ServiceError('entity.not_exists_with_id');
  await store.put('activeScripts', { tokenType }, { number });
}

export function environmentOf(version: ScriptVersionRow, secrets: SecretBox): Record<string, string> {
  if (version.environmentEncrypted === null) return {};
  const purpose = environmentPurpose(version.tenantId, version.tokenType, version.number);
  return JSON.parse(secrets.open(version.environmentEncrypted, purpose)) as Record<string, string>;
}

/** Returns the version as it was uploaded. */
export function scriptValueOf(version: ScriptVersionRow, secrets: SecretBox): ScriptValue {
  const { script, tokenSample, contextSample, blockIssuanceOnError, recordInputs } = version;
  return {
    script,
    ...(version.environmentEncrypted !== null && { environmentVariables: environmentOf(version, secrets) }),
    ...(tokenSample && { tokenSample }),
    ...(contextSample && { contextSample }),
    blockIssuanceOnError,
    recordInputs,
  };
}
