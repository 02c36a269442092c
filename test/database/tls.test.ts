import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/database/connect.ts';
import { createDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';

const CERTIFICATE = join(import.meta.dirname, '../support/tls/localhost.crt');

it('configures TLS to PostgreSQL by the URL: whether to verify the certificate, and with which CA', async () => {
  await using postgres = await startPostgres({ tls: true });
  await using place = await createDatabase('postgres', postgres.url);
  /** Returns true if the connection is encrypted, or the error code if it failed. */
  const ask = async (parameters: string): Promise<unknown> => {
    const databaseUrl = `${place.url?.replace('127.0.0.1', 'localhost')}${parameters}`;
    const database = connect({ databaseUrl, dataDir: place.dataDir, poolSize: 2, isDirect: true });
    const isEncrypted = database.reader.raw('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    const [row] = (await isEncrypted.catch((error) => [{ ssl: error.code }])) as unknown as { ssl: unknown }[];
    await database.close();
    return row?.ssl;
  };
  expect(await ask('')).toBe(false);
  expect(await ask(`?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)).toBe(true);
  expect(await ask('?sslmode=verify-full')).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
  expect(await ask('?sslmode=require')).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
  expect(await ask('?sslmode=no-verify')).toBe(true);
});
