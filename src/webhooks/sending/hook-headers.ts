import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Database } from '../../database/database.ts';
import type { HookRow } from '../../database/tables/index.ts';
import type { HookConfig } from '../../entities.ts';

type HookId = Pick<HookRow, 'tenantId' | 'id'>;
type StoredConfig = Pick<HookRow, 'config' | 'headersEncrypted'>;

export const hookHeadersPurposeOf = ({ tenantId, id }: HookId) => `webhook-headers:${tenantId}:${id}`;

/** Returns the configuration as stored. Headers are encrypted, because they often contain an endpoint's token. */
export function sealConfig(secrets: SecretBox, hook: HookId, { headers, ...config }: HookConfig): StoredConfig {
  const headersEncrypted = headers ? secrets.seal(JSON.stringify(headers), hookHeadersPurposeOf(hook)) : null;
  return { config, headersEncrypted };
}

/** Returns the decrypted configuration. Headers inside `config` win: an earlier release wrote them later. */
export function openConfig(secrets: SecretBox, hook: HookId & StoredConfig): HookConfig {
  const { config, headersEncrypted } = hook;
  if (headersEncrypted === null || config.headers) return config;
  return { ...config, headers: JSON.parse(secrets.open(headersEncrypted, hookHeadersPurposeOf(hook))) };
}

/** Encrypts headers that an earlier release stored in plain text. Runs at each start: a migration has no secret key. */
export async function sealStoredHeaders(database: Database, secrets: SecretBox): Promise<void> {
  const inClear = `cast(config as text) like '%"headers"%'`;
  const hooks: HookId[] = await database.reader('hooks').whereRaw(inClear).select('tenantId', 'id');
  for (const { tenantId, id } of hooks)
    await database.transaction(async (db) => {
      const hook: HookRow | undefined = await db('hooks').where({ tenantId, id }).forUpdate().first();
      if (!hook?.config.headers) return;
      const { config, headersEncrypted } = sealConfig(secrets, hook, hook.config);
      await db('hooks')
        .where({ tenantId, id })
        .update({ config: JSON.stringify(config), headersEncrypted });
    });
}

/** Headers that a webhook's configuration may not set: they control the connection, or the service sets them itself. */
const RESERVED =
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|user-agent|content-.*|proxy-.*|webhook-.*|logto-.*)$/i;

/** Returns why these headers cannot be configured on a webhook, or undefined if they can. */
export function checkHeaders(headers: Record<string, string>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.test(name)) return `The header ${name} is reserved.`;
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      return `The header ${name} is not valid.`;
    }
  }
  return undefined;
}

/** Returns the headers of an attempt, with lower-case names. The service's own come last, so none is overwritten. */
export function deliveryHeaders(
  configured: Record<string, string>,
  signatures: Record<string, string>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(configured)) headers[name.toLowerCase()] = configured[name] as string;
  return Object.assign(headers, { 'content-type': 'application/json', 'user-agent': 'Understudy' }, signatures);
}
