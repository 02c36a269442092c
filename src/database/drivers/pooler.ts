import pg from 'pg';

/**
 * Whether a pooler such as PgBouncer stands between: the process id that it gives a client is not that of the server
 * process behind it. What lives in a session is then lost, or another's: LISTEN, prepared statements, settings.
 */
export async function isBehindPooler(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // The query that is under way fails with it.
  try {
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return rows[0].pid !== (client as pg.Client & { processID: number }).processID;
  } finally {
    await client.end();
  }
}
