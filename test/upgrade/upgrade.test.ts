import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { Client } from 'pg';
import sqlite3 from 'sqlite3';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/base/times.ts';
import { migrations } from '../../src/database/migrations/index.ts';
import { getJson, ManagementClient } from '../support/call.ts';
import { castOf, verifyAccessToken } from '../support/cast.ts';
import { createDatabase, type Database, databases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { startService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

/** Releases with a recording: each is a folder next to this file, written by `record.ts` in that release. */
const releases = readdirSync(import.meta.dirname).filter((name) => /^\d/.test(name));
const cases = releases.flatMap((release) => databases.map((kind) => ({ release, kind })));

/** Runs an SQL script with the driver alone. */
async function execute({ url, dataDir }: Database, sql: string): Promise<void> {
  if (url) {
    const client = new Client(url);
    await client.connect();
    await client.query(sql);
    return client.end();
  }
  const file = new sqlite3.Database(join(dataDir, 'understudy.db'));
  await new Promise<void>((resolve, reject) => file.exec(sql, (error) => (error ? reject(error) : resolve())));
  return new Promise((resolve) => file.close(() => resolve()));
}

/** Shifts all times so that the recording is one hour old: never too new for this test, and never expired. */
function anHourOld(data: string, recordedAt: number): string {
  const moved = Date.now() - HOUR_MS - recordedAt;
  return data.replace(/(?<=[( ])\d{13}(?=[,)])/g, (time) => String(Number(time) + moved));
}

describe.each(cases)('a database of release $release on $kind', ({ release, kind }) => {
  it('is migrated, and everything that release stored works', async () => {
    await using shared = await createDatabase(kind);
    await using receiver = await WebhookReceiver.start();
    const port = await freePort();
    const read = (file: string) =>
      readFileSync(join(import.meta.dirname, release, file), 'utf8')
        .replaceAll('{{ENDPOINT}}', `http://localhost:${port}`)
        .replaceAll('{{RECEIVER}}', receiver.url);
    const left = JSON.parse(read('left.json'));
    await execute(shared, read(`${kind}.sql`));
    await execute(shared, anHourOld(read('data.sql'), left.recordedAt));

    await using service = await startService(kind, { SECRET_KEY: left.secretKey, PORT: String(port) }, shared);
    expect(service.credentials).toBeUndefined(); // Not treated as a first start.

    const { body, headers } = await receiver.next('User.Data.Updated');
    expect([headers['webhook-id'], body]).toEqual([left.delivery.id, left.delivery.body]);
    const { credentials, world } = left;
    const api = new ManagementClient(service.url, credentials.managementApiIndicator, credentials.machine);
    const hook = await api.must(`GET /hooks/${left.hookId}`);
    expect(() => new Webhook(hook.webhookSecret).verify(body, headers as Record<string, string>)).not.toThrow();

    const keys = createLocalJWKSet(await getJson(`${service.url}/oidc/jwks`));
    const { iat = 0, act, impersonation_context: claims } = decodeJwt(left.tokens.exchanged);
    const currentDate = new Date(iat * 1000);
    const { payload } = await jwtVerify(left.tokens.exchanged, keys, { currentDate, typ: 'at+jwt' });
    expect([payload.sub, act]).toEqual([credentials.demo.subject.id, { sub: credentials.demo.actor.id }]);
    expect(claims).toMatchObject({ ticket_id: 'TICKET-7' });

    const cast = castOf({ ...service, api, credentials });
    const context = { ticketId: 'TICKET-8', reason: 'After the upgrade' };
    const actorToken = await cast.spa.signIn(cast.alice);
    const { body: answer } = await cast.spa.exchange({
      subject_token: await cast.mint({ context }),
      actor_token: actorToken,
    });
    const issued = await verifyAccessToken(service, answer.access_token, cast.resource);
    expect(issued).toMatchObject({ act: { sub: cast.alice.id }, impersonation_context: { ticket_id: 'TICKET-8' } });
    expect((issued.exp ?? 0) - (issued.iat ?? 0)).toBeLessThanOrEqual(1800); // That tenant's policy.

    expect((await api.call('POST /subject-tokens', { userId: cast.bob.id })).body.code).toBe(
      'impersonation.context_required',
    );
    expect((await cast.spa.exchange({ subject_token: left.tokens.unspent })).body.error_description).toMatch(/expired/);
    const [imported] = await api.must('GET /users?search.username=imported');
    expect(imported.customData).toEqual({ note: "It's here: ö, 漢, 🙂" });
    await api.must(`POST /users/${imported.id}/password/verify`, { password: 'correct horse' });
    expect(await api.must(`GET /applications/${world.machine}/secrets`)).toHaveLength(1);
    const old = await api.must('GET /impersonations?page_size=100');
    expect(old.filter(({ revokedAt }: { revokedAt: number | null }) => revokedAt)).toHaveLength(1);
  });
});

it('has recordings with the current migrations in the current order', () => {
  for (const release of releases) {
    const data = readFileSync(join(import.meta.dirname, release, 'data.sql'), 'utf8');
    const recorded = [...data.matchAll(/into migrations \(name, batch\) values \('(\w+)'/g)].map(([, name]) => name);
    expect(recorded).toEqual(migrations.slice(0, recorded.length).map(({ name }) => name));
  }
});
