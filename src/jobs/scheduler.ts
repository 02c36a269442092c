import { type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from '../observe/logger.ts';

export interface Job {
  name: string;
  /** Cron expression, five fields or six with seconds first. */
  at: string;
  run(): Promise<unknown>;
}

/** Runs each job by its own schedule, never twice at once. A failure is logged and the next turn tries again. */
export function startJobs(jobs: readonly Job[], logger: Logger): { stop(): Promise<void> } {
  const tasks: ScheduledTask[] = jobs.map(({ name, at, run }) =>
    schedule(
      at,
      () =>
        run().catch((err: unknown) => {
          logger.error({ err, job: name }, 'job failed');
        }),
      { name, noOverlap: true },
    ),
  );
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()));
    },
  };
}
