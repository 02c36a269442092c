import { connect } from '../../src/database/connect.ts';
import { startPostgres } from '../support/postgres.ts';
import { LoadDriver } from './support/load.ts';
import { startUnderstudy } from './support/understudy.ts';
import { contestants } from './tokens/contestants.ts';

using driver = new LoadDriver();
const which = process.argv[2];
await using postgres = await startPostgres({ durable: true });
await using service = await startUnderstudy(which === 'pg' ? postgres.url : undefined);
const database = connect({
  databaseUrl: which === 'pg' ? postgres.url : undefined,
  dataDir: service.dataDir,
  poolSize: 2,
});
const c = await contestants(driver, service, {
  requests: 1500,
  mints: 1000,
  connections: 16,
  database,
  processes: { service: service.pid, database: which === 'pg' ? postgres.pid : undefined },
});
for (let i = 0; i < 4; i++)
  for (const name of (process.argv[3] ?? 'clientCredentials,mint').split(',')) {
    const { perSecond, micros } = await (c as any)[name]();
    console.log(i, name, Math.round(perSecond), Math.round(micros.service), Math.round(micros.database));
  }
await database.close();
