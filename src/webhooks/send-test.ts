import type { Clock } from '../clock.ts';
import type { HttpClient } from '../net/http-client.ts';
import { type AttemptLimits, deliver } from './deliver.ts';

export interface HookTest {
  url: string;
  headers: Record<string, string>;
  signingKey: string;
  hookId: string;
  /** The bodies to send, without `hookId`, one an event. */
  events: { id: string; body: string }[];
}

/**
 * Sends samples as deliveries are sent, through the same guard and limits, and records nothing.
 *
 * @returns undefined when every event was answered with 2xx; otherwise the status, or none when nobody
 *   answered. Never the answer's body: a test must not read what the receiver's network shows.
 */
export async function sendHookTest(
  { client, limits, clock }: { client: HttpClient; limits: AttemptLimits; clock: Clock },
  { events, hookId, url, headers, signingKey }: HookTest,
): Promise<undefined | { status?: number; reason: string }> {
  const target = { hookId, url, headers, keys: [signingKey] };
  const outcomes = await Promise.all(
    events.map(({ id, body }) => deliver(client, target, { id, body: Buffer.from(body) }, limits, clock)),
  );
  const failed = outcomes.find(({ error }) => error);
  if (!failed) return undefined;
  const { status, error, message } = failed;
  if (error === 'status' && status !== undefined) return { status, reason: `The receiver answered ${status}.` };
  return { reason: message ?? 'The receiver gave no complete answer.' };
}
