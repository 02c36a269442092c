import { createHmac } from 'node:crypto';

export interface ToSign {
  /** `webhook-id`: the event's id, the same for every attempt, hook and replay. */
  id: string;
  /** Seconds since the epoch, of this attempt. */
  timestamp: number;
  body: Buffer;
  /** Newest first. More than one while a rotation overlaps. */
  keys: string[];
}

/**
 * Both families of headers from one key, whose bytes are its UTF-8 text in both. The older header covers
 * the body alone and has room for one value, so the newest key signs it; the newer one covers id and time too.
 *
 * @see {@link https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md Standard Webhooks}
 */
export function signatureHeaders({ id, timestamp, body, keys }: ToSign): Record<string, string> {
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

/** The signing key in the form that the Standard Webhooks libraries take. */
export function webhookSecret(signingKey: string): string {
  return `whsec_${Buffer.from(signingKey).toString('base64')}`;
}
