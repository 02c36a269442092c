import { connect } from '../../../src/database/connect.ts';
import { startUnderstudy } from '../support/understudy.ts';

const USERS = 100_000;
const ROUNDS = 12;

/** Starts that no user has to starts that every user has, of names, last names, usernames, email addresses and ids. */
const TEXTS = [
  'u',
  'user',
  'user 5',
  'ada',
  'ada love',
  'lovelace77',
  'hopper',
  'mail4',
  'zz',
  'user-77777',
  '@',
  'settings',
];

/** The same on both databases. Ten first names and a thousand family names. */
const FILL = `
  insert into users (tenant_id, id, username, primary_email, name, custom_data, profile, is_suspended, created_at, updated_at)
  with recursive series (n) as (select 0 union all select n + 1 from series where n < ${USERS - 1})
  select 'default', 'user-' || n, 'user' || n, 'mail' || n || '@example.com',
    case n % 10 when 0 then 'Ada Lovelace' when 1 then 'Grace Brewster Hopper' else 'User ' end || (n % 1000),
    '{}', '{}', false, n, n
  from series`;

interface Tools {
  /** Opens a session of an administrator and returns its token. */
  openSession(where: { databaseUrl: string | undefined; dataDir: string }, now: number): Promise<string>;
  quantile(figures: readonly number[], share: number): number;
}

/** Returns how long the command palette takes to answer, to the last byte, with 100,000 users in the tenant. */
export async function paletteP95(databaseUrl: string | undefined, { openSession, quantile }: Tools): Promise<number> {
  await using service = await startUnderstudy(databaseUrl);
  const where = { databaseUrl, dataDir: service.dataDir };
  const database = connect({ ...where, poolSize: 1 });
  await database.write((db) => db.raw(FILL));
  if (databaseUrl !== undefined) await database.reader.raw('analyze');
  await database.close();
  const cookie = `console_session=${await openSession(where, Date.now())}`;
  const taken: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const text of TEXTS) {
      const startedAt = performance.now();
      const path = `/console/default/-/find?${new URLSearchParams({ q: text })}`;
      const answer = await fetch(`${service.origin}${path}`, { headers: { cookie }, redirect: 'manual' });
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      if (round > 0) taken.push(performance.now() - startedAt);
    }
  }
  return quantile(taken, 0.95);
}
