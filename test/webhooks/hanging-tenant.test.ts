import { describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { recordEvent } from '../../src/events/record.ts';
import { sealSigningKey } from '../../src/webhooks/signatures/signing-keys.ts';
import { databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';
import { hang, WebhookReceiver } from '../support/webhook-receiver.ts';
import { PollerHarness, SIGNING_KEY } from './poller-harness.ts';

/** Slots of the process, and enough hanging webhooks of one tenant to occupy all of its sockets several times over. */
const PLACES = 4;
const HANGING = 60;

describe.each(databases)('a tenant whose endpoints all hang on %s', (kind) => {
  it("does not delay another tenant's deliveries", async () => {
    await using harness = await PollerHarness.open(kind);
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    await using quick = await WebhookReceiver.start();
    for (let count = 0; count < HANGING; count += 1) await harness.hook(hanging.url);
    await addTenant(harness.database, 'other');
    const other = new TenantStore(harness.database, 'other');
    await other.add('hooks', [
      {
        id: 'quick',
        name: 'Quick',
        events: ['User.Created'],
        config: { url: quick.url },
        signingKeyEncrypted: sealSigningKey(harness.secrets, { tenantId: 'other', id: 'quick' }, SIGNING_KEY),
        oldSigningKeys: [],
        enabled: true,
        goneCount: 0,
        createdAt: Date.now(),
      },
    ]);
    await harness.announce(3);
    await harness.poller({ concurrency: PLACES, timeoutMs: 30_000, leaseMs: 60_000 });
    await hanging.reach(2 * PLACES);

    await other.transaction((store) => recordEvent(store, 'User.Created', {}, {}, Date.now()));
    await quick.next();
    // It arrived while all others were hanging: none of their attempts had ended.
    expect(await harness.store.from('attempts').limit(1)).toEqual([]);
  });
});
