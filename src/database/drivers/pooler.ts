import pg from 'pg';

/**
 * Returns true if the connection goes through a pooler such as PgBouncer: the process id that a pooler reports is not
 * that of the server process. Session state (LISTEN, prepared statements, settings) is then lost or shared with others.
 */
export async function isBehindPooler(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {}); // The current query fails with the same error.
  try {
    await client.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    return rows[0].pid !== (client as pg.Client & { processID: number }).processID;
  } finally {
    await client.end();
  }
}
