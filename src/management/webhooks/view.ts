import type { SecretBox } from '../../base/secret-box.ts';
import type { HookRow } from '../../database/tables/index.ts';
import type { Hook } from '../../entities.ts';
import { openConfig } from '../../webhooks/sending/hook-headers.ts';
import { webhookSecret } from '../../webhooks/signatures/signature.ts';
import { openSigningKey } from '../../webhooks/signatures/signing-keys.ts';

/** A webhook as the API shows it: the key in both forms that receivers' libraries take, and nothing of the old ones. */
export function hookView(secrets: SecretBox, hook: HookRow): Hook {
  const { tenantId, id, name, event, events, enabled, disabledReason, failingSince, createdAt } = hook;
  const config = openConfig(secrets, hook);
  const signingKey = openSigningKey(secrets, hook);
  const shown = { tenantId, id, name, event, events, config, enabled, createdAt, signingKey };
  return {
    ...shown,
    webhookSecret: webhookSecret(signingKey),
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince }),
  };
}
