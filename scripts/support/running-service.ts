import { readFile } from 'node:fs/promises';
import { SecretBox } from '../../src/base/secret-box.ts';
import { readConfig } from '../../src/config/index.ts';
import { connect } from '../../src/database/connect.ts';
import type { Database } from '../../src/database/database.ts';
import { unavailable } from '../../src/database/drivers/unavailable.ts';
import { type Credentials, credentialsPath } from '../../src/setup/first-start.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';

/** What the first start wrote. */
export async function readCredentials(dataDir = readConfig().dataDir): Promise<Credentials> {
  const text = await readFile(credentialsPath(dataDir), 'utf8').catch(() => {
    throw new Error(`There is no ${credentialsPath(dataDir)}. Start the service first: npm start`);
  });
  return JSON.parse(text) as Credentials;
}

/** @throws a sentence for people when the database is not to be had */
export async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = unavailable(error)?.data?.reason;
    if (reason !== 'database_connection' && reason !== 'database_pool') throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`The database of DATABASE_URL does not answer: ${message || code}`);
  }
}

/** The database of the service that this environment describes, beside the running process. */
export async function withDatabase<T>(work: (database: Database, secrets: SecretBox) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseDirectUrl, dataDir, secretKey, previousSecretKey } = readConfig();
  const database = connect({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 });
  try {
    const secrets = new SecretBox(secretKey ?? (await loadSecretKey(dataDir)), previousSecretKey);
    return await reached(() => work(database, secrets));
  } finally {
    await database.close();
  }
}
