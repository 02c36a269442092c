import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from '../../../src/setup/first-start.ts';
import { ManagementClient } from '../../support/call.ts';
import { spawnServer } from './spawn-server.ts';

/** Starts the service as `npm start` does, in a process and with a data folder of its own. */
export type Understudy = AsyncDisposable & {
  origin: string;
  pid: number;
  dataDir: string;
  credentials: Credentials & { demo: NonNullable<Credentials['demo']> };
  api: ManagementClient;
  /** The operator's machine-to-machine application: its token with scope `tenants` opens the operator API. */
  operator: ManagementClient;
};

/** Rate limits are on, as with `npm start`, but higher than any benchmark needs. */
const rateLimits = {
  RATE_LIMIT_TOKEN: '100000000',
  RATE_LIMIT_SUBJECT_TOKENS: '100000000',
  RATE_LIMIT_AUTHORIZATION: '100000000',
};

/** @param databaseUrl of an empty PostgreSQL database; SQLite if absent */
export async function startUnderstudy(databaseUrl?: string): Promise<Understudy> {
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-bench-'));
  const server = await spawnServer('src/main.ts', { ...rateLimits, DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
  return {
    origin: server.origin,
    pid: server.pid,
    dataDir,
    credentials,
    api: new ManagementClient(server.origin, credentials.managementApiIndicator, credentials.machine),
    operator: new ManagementClient(server.origin, `${server.origin}/admin/api`, credentials.operator),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true });
    },
  };
}
