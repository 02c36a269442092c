import { createHmac } from 'node:crypto';

export interface SignatureInput {
  /** `webhook-id`: the event's id, the same for every attempt, webhook and replay. */
  id: string;
  /** Time of this attempt, in seconds since the epoch. */
  timestamp: number;
  body: Buffer;
  /** Signing secrets, newest first. More than one while a rotation overlaps. */
  keys: string[];
}

/**
 * Returns the signature headers of both schemes. Both use the UTF-8 bytes of the secret as the key.
 * `logto-signature-sha-256` covers only the body and fits one signature, so it uses the newest secret.
 * `webhook-signature` also covers the id and the timestamp.
 *
 * @see {@link https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md Standard
 * Webhooks}
 */
export function signatureHeaders({ id, timestamp, body, keys }: SignatureInput): Record<string, string> {
  const [newest = ''] = keys;
  const prefix = `${id}.${timestamp}.`;
  return {
    'logto-signature-sha-256': createHmac('sha256', newest).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys
      .map((key) => `v1,${createHmac('sha256', key).update(prefix).update(body).digest('base64')}`)
      .join(' '),
  };
}

/** Returns the signing secret in the format that Standard Webhooks libraries accept. */
export function webhookSecret(signingKey: string): string {
  return `whsec_${Buffer.from(signingKey).toString('base64')}`;
}
