import { readFile } from 'node:fs/promises';
import { SecretBox } from '../../src/base/secret-box.ts';
import { readConfig } from '../../src/config/index.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { unavailable } from '../../src/database/drivers/unavailable.ts';
import { type Credentials, credentialsPath } from '../../src/setup/first-start.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';

/** Returns the credentials that the first start wrote. */
export async function readCredentials(dataDir = readConfig().dataDir): Promise<Credentials> {
  const text = await readFile(credentialsPath(dataDir), 'utf8').catch(() => {
    throw new Error(`${credentialsPath(dataDir)} does not exist. Start the service first: npm start`);
  });
  return JSON.parse(text) as Credentials;
}

/** @throws a readable message if the database is unavailable */
export async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = unavailable(error)?.data?.reason;
    if (reason !== 'database_connection' && reason !== 'database_pool') throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`The database of DATABASE_URL does not respond: ${message || code}`);
  }
}

/** Opens the database of the service that this environment configures. The service may be running. */
export async function withDatabase<T>(work: (database: Database, secrets: SecretBox) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseDirectUrl, dataDir, secretKey, previousSecretKey } = readConfig();
  const database = connect({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 });
  try {
    const secrets = new SecretBox(secretKey ?? (await loadSecretKey(dataDir)), previousSecretKey);
    return await withReadableErrors(() => work(database, secrets));
  } finally {
    await database.close();
  }
}
