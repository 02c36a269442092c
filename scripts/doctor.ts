import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { type Config, ConfigError, readConfig } from '../src/config/index.ts';
import { connect } from '../src/database/connect.ts';
import type { Database } from '../src/database/database.ts';
import { configurationFindings, fileFindings } from './checks/configuration.ts';
import { historyFindings, migrationFindings, postgresFindings, sqliteFindings } from './checks/database.ts';
import { type Finding, fault, ok, runChecks } from './checks/finding.ts';
import { secretKeyFindings } from './checks/secret-key.ts';
import { diskFindings, endpointFindings, sandboxFindings, webhookFindings } from './checks/surroundings.ts';

export const summary = 'Check this installation for problems, and explain how to fix them.';
export const usage = `[--json]

  --json   print the findings as JSON`;

const STATEMENT_FAILED = 'The statement above failed. Start the service and read its log.';

async function databaseFindings(config: Config): Promise<Finding[]> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  const file = join(dataDir, 'understudy.db');
  const isThere =
    databaseUrl !== undefined ||
    (await access(file).then(
      () => true,
      () => false,
    ));
  if (!isThere) return [ok('database', `there is no ${file} yet: the first start will create it`)];
  const database = connect({ databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir, poolSize: 2 });
  const group = (check: string, checks: (database: Database) => Promise<Finding[]>) =>
    runChecks(check, () => checks(database), STATEMENT_FAILED);
  try {
    const advice = 'Check DATABASE_URL (host, port, database, user, password), and that the server is running.';
    const settings = await runChecks(
      'database',
      () => (databaseUrl ? postgresFindings(config, database) : sqliteFindings(database)),
      advice,
    );
    if (settings.some(({ check }) => check === 'database')) return settings; // The database does not respond at all.
    const isNew = !(await database.reader.schema.hasTable('migrations'));
    const findings = [...settings, ...(await group('database.migrations', migrationFindings))];
    if (findings.some(({ check, level }) => check === 'database.migrations' && level === 'ok') && !isNew)
      for (const [check, checks] of Object.entries(rowChecks(config))) findings.push(...(await group(check, checks)));
    return findings;
  } finally {
    await database.close();
  }
}

const rowChecks = (config: Config): Record<string, (database: Database) => Promise<Finding[]>> => ({
  clock: historyFindings,
  'secret-key': (database) => secretKeyFindings(config, database),
  endpoint: (database) => endpointFindings(config, database),
  webhooks: (database) => webhookFindings(config, database),
});

/** Returns the findings of all checks. A check that fails becomes a finding and does not stop the others. */
export async function examine(env?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'docs/configuration.md lists the variables.';
    return error.faults.map((message) => fault('configuration', message, advice));
  }
  return [
    ...configurationFindings(config),
    ...(await fileFindings(config)),
    ...(await runChecks('disk', () => diskFindings(config), 'Create DATA_DIR, and make it writable for the service.')),
    ...(await databaseFindings(config)),
    ...(await runChecks('sandbox', () => sandboxFindings(config), 'sandbox/README.md explains what each layer needs.')),
  ];
}

const SIGNS = {
  ok: styleText('green', 'ok     '),
  warning: styleText('yellow', 'warning'),
  fault: styleText('red', 'fault  '),
};

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
  const findings = await examine();
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const [faults, warnings] = [count('fault'), count('warning')];
  if (values.json) console.log(JSON.stringify({ faults, warnings, findings }, null, 2));
  else {
    for (const { level, check, message, advice } of findings)
      console.log(`${SIGNS[level]}  ${check}: ${message}${advice ? `\n         ${advice}` : ''}`);
    console.log(`\n${faults} faults, ${warnings} warnings.`);
  }
  if (faults > 0) process.exitCode = 1;
}
