import { setTimeout as pause } from 'node:timers/promises';
import { microsBetween, processorTimes } from './processor-time.ts';
import type { Figure } from './rounds.ts';

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
  const before = timesOf(processes);
  const perSecond = await load();
  await pause(SETTLE_MS);
  const after = timesOf(processes);
  const micros = {
    service: microsBetween(before.service, after.service) / operations,
    database: before.database && after.database ? microsBetween(before.database, after.database) / operations : 0,
  };
  return { perSecond, micros };
}

const timesOf = ({ service, database }: Processes) => ({
  service: processorTimes(service),
  database: database === undefined ? undefined : processorTimes(database),
});
