import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretBox } from '../base/secret-box.ts';
import type { Config } from '../config/index.ts';
import { createLink, linkUrl } from '../console/session/administrators.ts';
import type { Database } from '../database/database.ts';
import { DEFAULT_TENANT } from '../tenants.ts';
import { addAdminApi } from './admin-api.ts';
import { createTenant, type MachineCredentials } from './create-tenant.ts';
import { addDemonstration, type Demonstration, prepareDemonstration } from './demonstration.ts';

/** `DATA_DIR/credentials.json`, written at the first start, readable by its owner alone. */
export interface Credentials {
  endpoint: string;
  managementApiIndicator: string;
  /** May call the Management API: what an integrator's backend is. */
  machine: MachineCredentials;
  /** May call the Operator API, and nothing else. */
  operator: MachineCredentials;
  demo?: Demonstration;
}

/** What the first start made. */
export interface FirstStart extends Credentials {
  /** Makes the first administrator. Printed only: the file stays, and a link is for one use within a day. */
  administratorLink: string;
}

export const credentialsPath = (dataDir: string): string => join(dataDir, 'credentials.json');

/** Whole or not at all: a process that is killed in the middle leaves the old file. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = credentialsPath(dataDir);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

export interface FirstStartOptions {
  config: Pick<Config, 'endpoint' | 'managementApiIndicator' | 'dataDir' | 'demo'>;
  database: Database;
  secrets: SecretBox;
  hashPassword(password: string): Promise<string>;
  now: number;
}

/**
 * Makes the default tenant, and the demonstration when it is wanted, in one transaction. The file
 * is written before the commit: credentials that nobody could read would be worse than a stale file.
 *
 * @returns undefined when this is not the first start
 */
export async function firstStart({
  config,
  database,
  secrets,
  hashPassword,
  now,
}: FirstStartOptions): Promise<FirstStart | undefined> {
  if (await database.reader('tenants').where({ id: DEFAULT_TENANT }).first('id')) return undefined;
  const { endpoint, managementApiIndicator, dataDir } = config;
  const prepared = config.demo ? await prepareDemonstration(hashPassword) : undefined;

  let made: FirstStart | undefined;
  await createTenant(
    database,
    secrets,
    { id: DEFAULT_TENANT, name: 'Default', endpoints: [endpoint], managementApiIndicator },
    {
      now,
      async also(store, machine) {
        const operator = await addAdminApi(store, { endpoint, secrets, now });
        const demo = prepared && (await addDemonstration(store, { ...prepared, secrets, now }));
        const credentials = { endpoint, managementApiIndicator, machine, operator, ...(demo && { demo }) };
        const administratorLink = linkUrl(endpoint, await createLink(store, [DEFAULT_TENANT], now));
        made = { ...credentials, administratorLink };
        await writeCredentials(dataDir, credentials);
      },
    },
  );
  return made;
}

/**
 * What the first start made, where it is, and what to try. Only a terminal is shown secrets: other output ends in a log,
 * which more people read than the file, and for longer.
 */
export function describeFirstStart(made: FirstStart, { dataDir, isTerminal }: FirstStartSurroundings): string {
  return isTerminal ? forTerminal(made, dataDir) : forLog(made, dataDir);
}

export interface FirstStartSurroundings {
  dataDir: string;
  /** True if standard output is a terminal. */
  isTerminal: boolean;
}

function forLog({ endpoint }: FirstStart, dataDir: string): string {
  return [
    `First start. The credentials are in ${credentialsPath(dataDir)}, which only its owner can read.`,
    `Become the first administrator of ${endpoint}/console with a link from: npm run cli -- create-administrator`,
  ].join('\n');
}

function forTerminal(
  { endpoint, managementApiIndicator, machine, operator, demo, administratorLink }: FirstStart,
  dataDir: string,
): string {
  const lines = [
    '',
    `First start. These credentials are shown once; they are also in ${credentialsPath(dataDir)}.`,
    '',
    `  Management API     ${endpoint}/api (indicator ${managementApiIndicator})`,
    `  machine client id  ${machine.clientId}`,
    `  machine secret     ${machine.clientSecret}`,
    '',
    `  Operator API       ${endpoint}/admin/api (makes and changes tenants)`,
    `  operator client id ${operator.clientId}`,
    `  operator secret    ${operator.clientSecret}`,
  ];
  if (demo) {
    lines.push(
      '',
      `  demo application   ${demo.clientId} (public, may exchange subject tokens)`,
      `  demo resource      ${demo.resource} with scope ${demo.scope}`,
      `  actor              ${demo.actor.id}, signs in as ${demo.actor.username} / ${demo.actor.password}`,
      `  subject            ${demo.subject.id}`,
      '',
      'See the whole flow:                npm run demo',
      'Impersonate someone step by step:  README.md',
    );
  }
  lines.push(
    '',
    'Become the first administrator of the console (this link works once, for a day):',
    `  ${administratorLink}`,
  );
  return `${lines.join('\n')}\n`;
}
