import { describe, expect, it } from 'vitest';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { recordEvent } from '../../src/events/record.ts';
import { sealSigningKey } from '../../src/webhooks/signatures/signing-keys.ts';
import { databases } from '../support/databases.ts';
import { addTenant } from '../support/tenant-rows.ts';
import { hang, WebhookReceiver } from '../support/webhook-receiver.ts';
import { SIGNING_KEY, Stage } from './stage.ts';

/** Places of the process, and webhooks of a tenant that would take all of its sockets several times over. */
const PLACES = 4;
const HANGING = 60;

describe.each(databases)('a tenant whose receivers all hang on %s', (kind) => {
  it("does not keep another tenant's deliveries waiting", async () => {
    await using stage = await Stage.open(kind);
    await using hanging = await WebhookReceiver.start({ behaviour: hang });
    await using quick = await WebhookReceiver.start();
    for (let count = 0; count < HANGING; count += 1) await stage.hook(hanging.url);
    await addTenant(stage.database, 'other');
    const other = new TenantStore(stage.database, 'other');
    await other.add('hooks', [
      {
        id: 'quick',
        name: 'Quick',
        events: ['User.Created'],
        config: { url: quick.url },
        signingKeyEncrypted: sealSigningKey(stage.secrets, { tenantId: 'other', id: 'quick' }, SIGNING_KEY),
        oldSigningKeys: [],
        enabled: true,
        goneCount: 0,
        createdAt: Date.now(),
      },
    ]);
    await stage.announce(3);
    await stage.poller({ concurrency: PLACES, timeoutMs: 30_000, leaseMs: 60_000 });
    await hanging.reach(2 * PLACES);

    await other.transaction((store) => recordEvent(store, 'User.Created', {}, {}, Date.now()));
    await quick.next();
    // It came while all the others hung: the attempt of none of them had ended.
    expect(await stage.store.from('attempts').limit(1)).toEqual([]);
  });
});
