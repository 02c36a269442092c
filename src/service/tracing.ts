import type { Database } from '../database/database.ts';
import type { HttpClient } from '../net/http-client.ts';
import { HttpError } from '../net/http-error.ts';
import type { Tracing } from '../observe/tracing.ts';
import type { ScriptSandbox } from '../script-runners/sandbox.ts';

/** Each function returns its part with a span around the work, or the part itself if tracing is off. */

export function tracedDatabase(database: Database, tracing: Tracing | undefined): Database {
  if (!tracing) return database;
  const attributes = { 'db.system.name': database.kind === 'postgres' ? 'postgresql' : 'sqlite' };
  const around =
    (name: string, begin: Database['transaction']): Database['transaction'] =>
    (work) =>
      tracing.span({ name, kind: 'client', attributes }, () => begin(work));
  return {
    ...database,
    write: around('database write', database.write),
    transaction: around('database transaction', database.transaction),
  };
}

export function tracedSandbox(sandbox: ScriptSandbox, tracing: Tracing | undefined): Pick<ScriptSandbox, 'run'> {
  if (!tracing) return sandbox;
  return {
    run: (request) =>
      tracing.span({ name: 'script run' }, async (span) => {
        const outcome = await sandbox.run(request);
        span.set({ 'understudy.script.result': outcome.result, 'understudy.script.wall_ms': outcome.wallMs });
        if (outcome.result !== 'ok' && outcome.result !== 'denied') span.markFailed();
        return outcome;
      }),
  };
}

/**
 * Each webhook attempt is its own trace, which the endpoint can continue: an event may be delivered long after the
 * request that caused it, several times, or together with others.
 */
export function tracedClient(client: HttpClient, tracing: Tracing | undefined): Pick<HttpClient, 'request'> {
  if (!tracing) return client;
  return {
    request: (request) =>
      tracing.span({ name: 'webhook attempt', kind: 'client', isRoot: true }, async (span) => {
        try {
          const reply = await client.request({ ...request, headers: { ...request.headers, ...span.headers() } });
          span.set({ 'http.response.status_code': reply.status });
          if (reply.status < 200 || reply.status > 299) span.markFailed();
          return reply;
        } catch (error) {
          if (error instanceof HttpError) span.set({ 'error.type': error.reason });
          throw error;
        }
      }),
  };
}
