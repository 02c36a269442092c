import type { SecretBox } from '../../base/secret-box.ts';
import type { Database } from '../../database/database.ts';
import type { HookRow } from '../../database/tables/index.ts';
import type { HookConfig } from '../../entities.ts';

type HookId = Pick<HookRow, 'tenantId' | 'id'>;
type StoredConfig = Pick<HookRow, 'config' | 'headersEncrypted'>;

export const hookHeadersPurposeOf = ({ tenantId, id }: HookId) => `webhook-headers:${tenantId}:${id}`;

/** A configuration as the table keeps it: headers often hold a receiver's token, so they are sealed. */
export function sealConfig(secrets: SecretBox, hook: HookId, { headers, ...config }: HookConfig): StoredConfig {
  const headersEncrypted = headers ? secrets.seal(JSON.stringify(headers), hookHeadersPurposeOf(hook)) : null;
  return { config, headersEncrypted };
}

/** The configuration as it was given. Headers inside `config` are newer: a process of an earlier release wrote them. */
export function openConfig(secrets: SecretBox, hook: HookId & StoredConfig): HookConfig {
  const { config, headersEncrypted } = hook;
  if (headersEncrypted === null || config.headers) return config;
  return { ...config, headers: JSON.parse(secrets.open(headersEncrypted, hookHeadersPurposeOf(hook))) };
}

/** Seals the headers that an earlier release stored in clear. Runs at each start, because a migration has no secret key. */
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
