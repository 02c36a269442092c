import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLink, linkUrl } from '../admin/administrators.ts';
import { type ApplicationCredentials, addSystemApi, createTenant } from '../admin/create-tenant.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/database.ts';
import { DEFAULT_TENANT } from '../tenants.ts';
import { ADMIN_API } from '../tokens/urns.ts';
import { addDemonstration, type Demonstration, prepareDemonstration } from './demonstration.ts';

/** The content of `DATA_DIR/credentials.json`, which is written at the first start and only readable by its owner. */
export interface Credentials {
  endpoint: string;
  managementApiIndicator: string;
  /** May call the Management API. An integrator's backend uses it. */
  machine: ApplicationCredentials;
  /** May call the Operator API, and nothing else. */
  operator: ApplicationCredentials;
  demo?: Demonstration;
}

/** Everything that the first start created. */
export interface FirstStart extends Credentials {
  /** Creates the first administrator. It is printed but not stored, because it works once, within a day. */
  administratorLink: string;
}

export const credentialsPath = (dataDir: string): string => join(dataDir, 'credentials.json');

/** Writes the file atomically: a process that is killed in between leaves the old file. */
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
 * Creates the default tenant and, if configured, the demonstration, in one transaction. The file is written before the
 * commit, because losing the credentials would be worse than a stale file.
 *
 * @returns undefined if this is not the first start
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
  // The Operator API gets an application of its own, so that a backend whose Management API credentials leak cannot
  // change or delete tenants. The Management API does not let an application without the scope `tenants` assign that
  // scope, or read the secrets of an application that has it.
  const operatorApi = {
    api: ADMIN_API,
    indicator: `${endpoint}${ADMIN_API.path}`,
    scopeDescription: 'Create, change, suspend and delete tenants',
    caller: 'Operator',
  };

  let created: FirstStart | undefined;
  await createTenant(
    database,
    secrets,
    { id: DEFAULT_TENANT, name: 'Default', endpoints: [endpoint], managementApiIndicator },
    {
      now,
      async withinTransaction(store, machine) {
        const operator = await addSystemApi(store, operatorApi, { secrets, now });
        const demo = prepared && (await addDemonstration(store, { ...prepared, secrets, now }));
        const owner = { tenantIds: [DEFAULT_TENANT], role: 'owner' } as const;
        const credentials = { endpoint, managementApiIndicator, machine, operator, ...(demo && { demo }) };
        const administratorLink = linkUrl(endpoint, await createLink(store, owner, now));
        created = { ...credentials, administratorLink };
        await writeCredentials(dataDir, credentials);
      },
    },
  );
  return created;
}

/**
 * Returns the text that describes the first start: what was created, where it is, and what to try next. Secrets are
 * only shown on a terminal. Other output ends up in a log, which more people can read than the file, and for longer.
 */
export const describeFirstStart = (created: FirstStart, dataDir: string, isTerminal: boolean): string =>
  isTerminal ? forTerminal(created, dataDir) : forLog(created, dataDir);

function forLog({ endpoint }: FirstStart, dataDir: string): string {
  return [
    `First start. The credentials are in ${credentialsPath(dataDir)}, which only its owner can read.`,
    `To become the first administrator of ${endpoint}/console, create a link: npm run cli -- create-administrator`,
  ].join('\n');
}

function forTerminal(
  { endpoint, managementApiIndicator, machine, operator, demo, administratorLink }: FirstStart,
  dataDir: string,
): string {
  const lines = [
    '',
    `First start. These credentials are shown only once. They are also in ${credentialsPath(dataDir)}.`,
    '',
    `  Management API     ${endpoint}/api (indicator ${managementApiIndicator})`,
    `    client id        ${machine.clientId}`,
    `    client secret    ${machine.clientSecret}`,
    '',
    `  Operator API       ${endpoint}/admin/api (creates and changes tenants)`,
    `    client id        ${operator.clientId}`,
    `    client secret    ${operator.clientSecret}`,
  ];
  if (demo) {
    lines.push(
      '',
      `  demo application   ${demo.clientId} (public, can exchange subject tokens)`,
      `  demo resource      ${demo.resource} with scope ${demo.scope}`,
      `  actor              ${demo.actor.id}, signs in as ${demo.actor.username} / ${demo.actor.password}`,
      `  subject            ${demo.subject.id}`,
      '',
      'See the whole flow:                npm run demo',
      'Impersonate a user step by step:   README.md',
    );
  }
  lines.push(
    '',
    'Become the first administrator of the console with this link. It works once, within a day:',
    `  ${administratorLink}`,
  );
  return `${lines.join('\n')}\n`;
}
