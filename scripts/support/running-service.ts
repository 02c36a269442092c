import { readFile } from 'node:fs/promises';
import { readConfig } from '../../src/config.ts';
import { connect, type Database } from '../../src/database/connect.ts';
import { SecretBox } from '../../src/secret-box.ts';
import { type Credentials, credentialsPath } from '../../src/setup/first-start.ts';
import { loadSecretKey } from '../../src/setup/secret-key.ts';

/** What the first start wrote. */
export async function readCredentials(dataDir = readConfig().dataDir): Promise<Credentials> {
  const text = await readFile(credentialsPath(dataDir), 'utf8').catch(() => {
    throw new Error(`There is no ${credentialsPath(dataDir)}. Start the service first: npm start`);
  });
  return JSON.parse(text) as Credentials;
}

/** The database of the service that this environment describes, beside the running process. */
export async function withDatabase<T>(work: (database: Database, secrets: SecretBox) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseDirectUrl, dataDir, secretKey, previousSecretKey } = readConfig();
  const database = connect({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 });
  try {
    return await work(database, new SecretBox(secretKey ?? (await loadSecretKey(dataDir)), previousSecretKey));
  } finally {
    await database.close();
  }
}
