import { describe, expect, it } from 'vitest';
import { databases } from '../support/databases.ts';
import { hang, type WebhookReceiver as Receiver, status, WebhookReceiver } from '../support/webhook-receiver.ts';
import { Stage } from './stage.ts';

const HEALTHY = 48;
const EVENTS = 60;
const INTERVAL_MS = 15;

/** Milliseconds from announcement to arrival, for every healthy hook and event. */
async function latencies(stage: Stage, healthy: Receiver): Promise<number[]> {
  const before = healthy.arrivals.length;
  for (let event = 0; event < EVENTS; event += 1) {
    await stage.announce();
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
  const arrivals = await healthy.reach(before + HEALTHY * EVENTS, 20_000);
  return arrivals.slice(before).map(({ at, body }) => at - Date.parse(JSON.parse(body).createdAt));
}

const p95 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

describe.each(databases)('a dead and a hanging hook on %s', (kind) => {
  it('slow nobody else down', async () => {
    await using stage = await Stage.open(kind);
    await using healthy = await WebhookReceiver.start({ behaviour: status(204) });
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    for (let count = 0; count < HEALTHY; count += 1) await stage.hook(healthy.url);
    await stage.poller({ timeoutMs: 5000, leaseMs: 20_000, retryScheduleSeconds: [0, 5, 60] });
    await latencies(stage, healthy); // Warm.
    const calm = p95(await latencies(stage, healthy));

    await stage.hook('http://127.0.0.1:1/dead');
    await stage.hook(hanging.url);
    const disturbed = p95(await latencies(stage, healthy));
    expect(disturbed).toBeLessThan(Math.max(2 * calm, 60)); // The floor: other processes on the machine.
    expect(hanging.arrivals.length).toBeLessThanOrEqual(4);
  });
});
