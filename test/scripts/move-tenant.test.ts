import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportTenant } from '../../scripts/export-tenant.ts';
import { importTenant } from '../../scripts/import-tenant.ts';
import { readSealed } from '../../scripts/support/sealed-file.ts';
import { SecretBox } from '../../src/base/secret-box.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database as Connection } from '../../src/database/database.ts';
import { camelCase } from '../../src/database/drivers/names.ts';
import { tenantTables } from '../../src/database/tables/index.ts';
import { ManagementClient } from '../support/call.ts';
import { castOf, verifyAccessToken } from '../support/cast.ts';
import { createMigrated, type Database, type DatabaseKind } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { buildWorld } from '../support/world.ts';

const passphrase = 'correct horse battery staple';

/** A database with a secret key of its own, like another installation. */
class Installation implements AsyncDisposable {
  readonly key = randomBytes(32);
  readonly secrets = new SecretBox(this.key);
  readonly kind: DatabaseKind;
  readonly shared: Database;
  readonly database: Connection;

  private constructor(kind: DatabaseKind, shared: Database) {
    this.kind = kind;
    this.shared = shared;
    this.database = connect(this.settings);
  }

  static async prepare(kind: DatabaseKind): Promise<Installation> {
    return new Installation(kind, await createMigrated(kind));
  }

  get settings() {
    return { databaseUrl: this.shared.url, dataDir: this.shared.dataDir, poolSize: 2 };
  }

  get file() {
    return join(this.shared.dataDir, 'default.age');
  }

  start(env: Record<string, string> = {}): Promise<TestService> {
    return startService(this.kind, { SECRET_KEY: this.key.toString('base64'), ...env }, this.shared);
  }

  async export(): Promise<string> {
    await rm(this.file, { force: true });
    await exportTenant(this.database, this.secrets, { tenantId: 'default', file: this.file, passphrase });
    return this.file;
  }

  import(file: string, given = passphrase): Promise<string> {
    return importTenant(this.database, this.secrets, { file, passphrase: given });
  }

  async [Symbol.asyncDispose]() {
    await this.database.close();
    await this.shared[Symbol.asyncDispose]();
  }
}

/** Returns the lines of an export, sorted because each database returns rows in its own order. */
async function contentOf(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readSealed(file, passphrase)) lines.push(line);
  return lines.sort();
}

describe('moving a tenant', () => {
  let home: Installation;
  let away: Installation;
  let before: TestService;
  let left: Awaited<ReturnType<typeof use>>;
  let file: string;
  beforeAll(async () => {
    home = await Installation.prepare('sqlite');
    away = await Installation.prepare('postgres');
    before = await home.start();
    left = await use(before, home.database);
    file = await home.export(); // Exports while the service is running.
    await before.stop();
    file = await home.export();
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await away[Symbol.asyncDispose]();
  });

  async function use(service: TestService, database: Connection) {
    await using receiver = await WebhookReceiver.start();
    const world = await buildWorld(service.api, database, receiver.url);
    await service.api.must(`PATCH /hooks/${world.hook}/signing-key`);
    const cast = castOf(service);
    const actorToken = await cast.spa.signIn(cast.alice);
    const { body } = await cast.spa.exchange({ subject_token: await cast.mint(), actor_token: actorToken });
    const hook = await service.api.must(`GET /hooks/${world.hook}`);
    return { world, actorToken, unspent: await cast.mint(), issued: body.access_token as string, hook };
  }

  /** Expects the imported tenant to work with its old credentials, tokens and keys. */
  async function expectToServe(installation: Installation): Promise<void> {
    const { credentials, url } = before;
    await using service = await installation.start({ PORT: new URL(url).port });
    expect(service.credentials).toBeUndefined(); // The start did not count as a first start.
    const api = new ManagementClient(url, credentials.managementApiIndicator, credentials.machine);
    const cast = castOf({ ...service, api, credentials });
    expect((await verifyAccessToken(service, left.issued, cast.resource)).act).toEqual({ sub: cast.alice.id });
    const context = { subject_token: await cast.mint(), actor_token: left.actorToken };
    expect((await cast.spa.exchange(context)).status).toBe(200);
    await cast.spa.signIn(cast.alice);
    // Includes its signing secret and its custom headers.
    expect(await api.must(`GET /hooks/${left.world.hook}`)).toEqual(left.hook);
    expect(left.hook.config).toHaveProperty('headers.authorization');
  }

  it('works from SQLite to PostgreSQL', async () => {
    expect(await away.import(file)).toBe('default');
    expect(await contentOf(await away.export())).toEqual(await contentOf(file));
    await expectToServe(away);
  });

  it('works back to SQLite with the changes since, and the tenant is served', async () => {
    await using sqlite = await Installation.prepare('sqlite');
    const moved = await away.export();
    await sqlite.import(moved);
    expect(await contentOf(await sqlite.export())).toEqual(await contentOf(moved));
    await expectToServe(sqlite);
  });

  it('writes a complete file, readable by its owner only', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file)).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    const wrong = exportTenant(home.database, home.secrets, { tenantId: 'unknown', file: `${file}.2`, passphrase });
    await expect(wrong).rejects.toThrow('no tenant unknown');
    await expect(stat(`${file}.2`)).rejects.toThrow('ENOENT');
    await expect(stat(`${file}.2.part`)).rejects.toThrow('ENOENT');
  });

  it('imports everything or nothing', async () => {
    await using target = await Installation.prepare('postgres');
    const cut = join(target.shared.dataDir, 'cut.age');
    await writeFile(cut, await readFile(file));
    await truncate(cut, (await stat(file)).size - 100);
    await expect(target.import(cut)).rejects.toThrow('is incomplete');
    await expect(target.import(file, 'another passphrase')).rejects.toThrow('passphrase');
    for (const table of tenantTables) expect(await target.database.reader(table).first(), table).toBeUndefined();
    expect(await target.database.reader('tenants').first()).toBeUndefined();
    await target.import(file);
  });

  it('refuses a database with that tenant, its endpoint or other migrations', async () => {
    await expect(home.import(file)).rejects.toThrow('Tenant default already exists');
    await using other = await Installation.prepare('sqlite');
    await other.database.write((db) =>
      db('tenants').insert({ id: 'other', name: 'Other', settings: '{}', createdAt: 0 }),
    );
    await other.database.write((db) =>
      db('tenantEndpoints').insert({ url: before.url, tenantId: 'other', position: 0 }),
    );
    await expect(other.import(file)).rejects.toThrow(`served at ${before.url}`);
    await other.database.write((db) => db('migrations').insert({ name: '999_next', batch: 2 }));
    await expect(other.import(file)).rejects.toThrow('same release');
  });
});

it('exports every table with a tenant', async () => {
  await using installation = await Installation.prepare('postgres');
  const columns: { tableName: string }[] = await installation.database
    .reader('information_schema.columns')
    .where({ columnName: 'tenant_id', tableSchema: 'public' })
    .select('tableName');
  const tables = columns.map(({ tableName }) => camelCase(tableName));
  expect(tables.toSorted()).toEqual(['tenantEndpoints', ...tenantTables].toSorted());
});
