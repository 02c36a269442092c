import { setTimeout as pause } from 'node:timers/promises';
import { processorMicros } from './processor-time.ts';
import type { Figure, Micros } from './rounds.ts';

/** The processes of one contestant, each with its descendants. */
export interface Processes {
  /** The service or the server that it is compared with, and their sandbox runners. */
  service: number;
  /** PostgreSQL, if that is the database. */
  database?: number | undefined;
}

/** Longer than the service collects audit entries before it writes them, so that their cost is included. */
const SETTLE_MS = 150;

/**
 * Runs a load and adds its CPU time per operation.
 *
 * @param load returns operations per second
 */
export async function costed(processes: Processes, operations: number, load: () => Promise<number>): Promise<Figure> {
  const before = microsOf(processes);
  const perSecond = await load();
  await pause(SETTLE_MS);
  const after = microsOf(processes);
  const micros = {
    service: (after.service - before.service) / operations,
    database: (after.database - before.database) / operations,
  };
  return { perSecond, micros };
}

const microsOf = ({ service, database }: Processes): Micros => ({
  service: processorMicros(service),
  database: database === undefined ? 0 : processorMicros(database),
});
