import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import { TenantStore } from '../../src/database/store/tenant-store.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';
import type { DatabaseKind } from './databases.ts';
import { startService } from './start-service.ts';
import { dumpTenant, eraseTenant, loadTenant } from './tenant-rows.ts';
import { WebhookReceiver } from './webhook-receiver.ts';
import { buildWorld, signedIn } from './world.ts';

const OWN = 'default';

export type Stage = Awaited<ReturnType<typeof buildStage>>;

/** A service whose tenant has one of everything, and can restore it after a call that changed something. */
export async function buildStage(kind: DatabaseKind) {
  const service = await startService(kind, { DEMO: 'false', WEBHOOK_TIMEOUT_MS: '1000' });
  const { api, databaseUrl, dataDir } = service;
  const database = connect({ databaseUrl, dataDir, poolSize: 2 });
  const receiver = await WebhookReceiver.start();
  const things = await buildWorld(api, database, receiver.url);
  const secrets = new SecretBox(await loadSecretKey(dataDir));
  const world = { ...things, ...(await signedIn(new TenantStore(database, OWN), secrets, things)) };
  const rows = await dumpTenant(database, OWN);
  return {
    service,
    api,
    database,
    receiver,
    world,
    /** Every row of the tenant in its original state. */
    rows,
    async restore() {
      await eraseTenant(database, OWN);
      await loadTenant(database, OWN, rows);
    },
    async close() {
      await database.close();
      await receiver.stop();
      await service[Symbol.asyncDispose]();
    },
  };
}
