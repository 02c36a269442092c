import { expect, it } from 'vitest';
import { startJobs } from '../../src/jobs/scheduler.ts';
import { createLogger } from '../../src/observe/logger.ts';

it("logs a job's skipped run through the service's logger, with the name of the job", async () => {
  const lines: unknown[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const held = Promise.withResolvers<void>();
  const jobs = startJobs([{ name: 'slow', at: '* * * * * *', run: () => held.promise }], { isLeading: true }, logger);
  const skipped = { job: 'slow', msg: expect.stringContaining('task still running') };
  await expect.poll(() => lines).toContainEqual(expect.objectContaining(skipped));
  held.resolve();
  await jobs.stop();
});
