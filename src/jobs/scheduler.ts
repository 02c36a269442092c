import { type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from '../observe/logger.ts';

export interface Job {
  name: string;
  /** Cron expression, five fields or six with seconds first. */
  at: string;
  run(): Promise<unknown>;
}

/**
 * Runs each job by its own schedule, never twice at once, where `leader` leads. A failure is logged and the next turn
 * tries again. Two leaders for a moment, as after a pause of the first one, do no harm: every job can be done twice.
 */
export function startJobs(
  jobs: readonly Job[],
  leader: { readonly isLeading: boolean },
  logger: Logger,
): { stop(): Promise<void> } {
  const turn = async ({ name, run }: Job) => {
    if (!leader.isLeading) return;
    await run().catch((err: unknown) => logger.error({ err, job: name }, 'job failed'));
  };
  const tasks: ScheduledTask[] = jobs.map((job) =>
    schedule(job.at, () => turn(job), { name: job.name, noOverlap: true, logger: logger.child({ job: job.name }) }),
  );
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.destroy()));
    },
  };
}
