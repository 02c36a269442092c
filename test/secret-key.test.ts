import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { reseal } from '../scripts/rotate-secret-key.ts';
import { sealedColumns } from '../scripts/support/sealed-columns.ts';
import { SecretBox } from '../src/base/secret-box.ts';
import { connect } from '../src/database/connect.ts';
import { camelCase } from '../src/database/drivers/names.ts';
import { TenantStore } from '../src/database/store/tenant-store.ts';
import { tenantTables } from '../src/database/tables/index.ts';
import { SecretKeyError } from '../src/setup/secret-key.ts';
import { payloadPurposeOf } from '../src/tokens/session-interactions.ts';
import { castOf } from './support/cast.ts';
import { childEnvironment } from './support/compile-cache.ts';
import { createMigrated, databases } from './support/databases.ts';
import { hasEnded } from './support/has-ended.ts';
import { startService } from './support/start-service.ts';
import { addTenant } from './support/tenant-rows.ts';
import { WebhookReceiver } from './support/webhook-receiver.ts';
import { buildWorld } from './support/world.ts';

/** Enough rows that the command is still running when it is killed. */
const MANY = 10_000;

const newKey = () => randomBytes(32).toString('base64');
const boxOf = (key: string, previous?: string) =>
  new SecretBox(Buffer.from(key, 'base64'), previous === undefined ? undefined : Buffer.from(previous, 'base64'));

describe('a secret box', () => {
  it('decrypts with either key and encrypts with the new one', () => {
    const [before, after] = [newKey(), newKey()];
    const old = boxOf(before).seal('hush', 'x');
    const both = boxOf(after, before);
    expect(both.open(old, 'x')).toBe('hush');
    expect(boxOf(after).open(both.seal('hush', 'x'), 'x')).toBe('hush');
    expect(() => boxOf(after).open(old, 'x')).toThrow('SECRET_KEY_PREVIOUS');
    expect(() => both.open(old, 'y')).toThrow();
    expect(both.derive('cookies')).toEqual([...boxOf(after).derive('cookies'), ...boxOf(before).derive('cookies')]);
  });
});

describe.each(databases)('the secret key on %s', (kind) => {
  it('is rotated while everything keeps working, after which the previous key can be dropped', async () => {
    await using shared = await createMigrated(kind);
    await using receiver = await WebhookReceiver.start();
    const [first, second] = [newKey(), newKey()];
    const open = () => connect({ databaseUrl: shared.url, dataDir: shared.dataDir, poolSize: 2 });

    const before = await startService(kind, { SECRET_KEY: first }, shared);
    const database = open();
    const world = await buildWorld(before.api, database, receiver.url);
    await before.api.must('PUT /configs/jwt-customizer/access-token', {
      script: 'const getCustomJwtClaims = async () => ({});',
      environmentVariables: { TOKEN: 'hush' },
      recordInputs: true,
    });
    await before.api.must(`PATCH /hooks/${world.hook}/signing-key`);
    const cast = castOf(before);
    const actorToken = await cast.spa.signIn(cast.alice);
    await cast.spa.exchange({ subject_token: await cast.mint(), actor_token: actorToken });
    const secret = await before.api.must(`GET /applications/${world.machine}/secrets`);
    const hook = await before.api.must(`GET /hooks/${world.hook}`);
    await before.stop();

    await expect(startService(kind, { SECRET_KEY: second }, shared)).rejects.toThrow(SecretKeyError);
    const { credentials } = before;
    const during = await startService(
      kind,
      { SECRET_KEY: second, SECRET_KEY_PREVIOUS: first, PORT: new URL(before.url).port },
      shared,
    );
    // With its existing token.
    expect(await before.api.must(`GET /applications/${world.machine}/secrets`)).toEqual(secret);

    const box = boxOf(second, first);
    const count = await reseal(database, box);
    expect(count).toBeGreaterThan(8);
    expect(await reseal(database, box)).toBe(0);
    await during.stop();

    const rows = await Promise.all(tenantTables.map((table) => database.reader(table)));
    const sealedTexts = JSON.stringify(rows).match(/1\.[\w-]{6}\.[\w-]{30,}/g) ?? [];
    expect(sealedTexts.length).toBeGreaterThanOrEqual(count);
    expect(sealedTexts.filter((text) => !text.startsWith(boxOf(second).prefix))).toEqual([]);
    for (const { table, column, purposeOf } of sealedColumns)
      for (const row of await database.reader(table).whereNotNull(column))
        expect(() => boxOf(second).open(row[column], purposeOf(row)), column).not.toThrow();
    await database.close();

    const after = await startService(kind, { SECRET_KEY: second, PORT: new URL(before.url).port }, shared);
    expect(await before.api.must(`GET /applications/${world.machine}/secrets`)).toEqual(secret);
    // Includes its signing secret and its custom headers.
    expect(await before.api.must(`GET /hooks/${world.hook}`)).toEqual(hook);
    expect(hook.config).toHaveProperty('headers.authorization');
    const again = castOf({ ...after, api: before.api, credentials });
    const answer = await again.spa.exchange({ subject_token: await again.mint(), actor_token: actorToken });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    await after.stop();
  });

  it('can be rotated by a command that is killed and run again', async () => {
    await using shared = await createMigrated(kind);
    const [first, second] = [newKey(), newKey()];
    const [old, box] = [boxOf(first), boxOf(second, first)];
    const database = connect({ databaseUrl: shared.url, dataDir: shared.dataDir, poolSize: 2 });
    await addTenant(database, 'acme');
    const ids = Array.from({ length: MANY }, (_, index) => `id-${index}`);
    const payloads = ids.map((id) => ({
      model: 'Session',
      id,
      payloadEncrypted: old.seal(id, payloadPurposeOf('acme', 'Session', id)),
    }));
    for (let from = 0; from < MANY; from += 1_000)
      await new TenantStore(database, 'acme').add('oidcPayloads', payloads.slice(from, from + 1_000));
    const replaced = async () => {
      const rows = database.reader('oidcPayloads').where('payloadEncrypted', 'like', `${box.prefix}%`);
      return Number((await rows.count({ count: '*' }))[0]?.count);
    };

    const command = spawn(process.execPath, ['scripts/cli.ts', 'rotate-secret-key'], {
      stdio: 'ignore',
      env: {
        ...childEnvironment,
        DATA_DIR: shared.dataDir,
        SECRET_KEY: second,
        SECRET_KEY_PREVIOUS: first,
        ...(shared.url && { DATABASE_URL: shared.url }),
      },
    });
    const ended = once(command, 'exit');
    while ((await replaced()) === 0 && !hasEnded(command));
    command.kill('SIGKILL');
    await ended;
    // A commit that the command had already sent is still executed.
    const others = 'datname = current_database() and pid <> pg_backend_pid()';
    const committing = () => database.reader('pg_stat_activity').where({ state: 'active' }).andWhereRaw(others);
    if (kind === 'postgres') await expect.poll(committing).toEqual([]);
    const done = await replaced();
    expect(done).toBeGreaterThan(0);
    expect(await reseal(database, box)).toBe(MANY - done); // Exactly the rest: no row twice and none omitted.
    const after = boxOf(second);
    for (const { id, payloadEncrypted } of await database.reader('oidcPayloads'))
      expect(after.open(payloadEncrypted, payloadPurposeOf('acme', 'Session', id))).toBe(id);
    await database.close();
  });
});

it('covers every encrypted column in the list of sealed columns', async () => {
  await using shared = await createMigrated('postgres');
  const { reader, close } = connect({ databaseUrl: shared.url, dataDir: shared.dataDir, poolSize: 2 });
  const columns: { tableName: string; columnName: string }[] = await reader('information_schema.columns')
    .where('columnName', 'like', '%\\_encrypted')
    .select('tableName', 'columnName');
  await close();
  const found = columns.map(({ tableName, columnName }) => `${camelCase(tableName)}.${camelCase(columnName)}`);
  expect(found.toSorted()).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted());
});
