import { type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from '../observe/logger.ts';

export interface Job {
  name: string;
  /** Cron expression of five fields, or six with seconds first. */
  at: string;
  run(): Promise<unknown>;
}

/**
 * Runs each job on its schedule while this process leads, never twice at once. A failure is logged, and the job runs
 * again at its next time. Two leaders for a moment (the first one was paused) are harmless: jobs are idempotent.
 */
export function startJobs(
  jobs: readonly Job[],
  leader: { readonly isLeading: boolean },
  logger: Logger,
): { stop(): Promise<void> } {
  const runIfLeading = async ({ name, run }: Job) => {
    if (!leader.isLeading) return;
    await run().catch((err: unknown) => logger.error({ err, job: name }, 'Scheduled job failed'));
  };
  const tasks: ScheduledTask[] = jobs.map((job) =>
    schedule(job.at, () => runIfLeading(job), {
      name: job.name,
      noOverlap: true,
      logger: logger.child({ job: job.name }),
    }),
  );
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()));
    },
  };
}
