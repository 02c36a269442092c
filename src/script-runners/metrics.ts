import { Counter, Histogram } from 'prom-client';
import { gaugeBy, type Registry } from '../observe/metrics.ts';
import type { Sandbox } from './sandbox.ts';
import type { SandboxObserver } from './types.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** @param status asked when figures are: the sandbox is made later than its metrics */
export function scriptMetrics(registry: Registry, status: () => ReturnType<Sandbox['status']>): SandboxObserver {
  const registers = [registry];
  const runs = new Counter({
    name: 'understudy_script_runs_total',
    help: 'Runs of claims scripts by result, as the run log names it',
    labelNames: ['result'] as const,
    registers,
  });
  const runSeconds = new Histogram({
    name: 'understudy_script_run_seconds',
    help: 'From handing a run to a runner to its answer',
    buckets: SECONDS,
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'understudy_script_wait_seconds',
    help: 'For a turn, before that',
    buckets: SECONDS,
    registers,
  });
  const ended = new Counter({
    name: 'understudy_script_runners_ended_total',
    help: 'Runners that were killed for their script, crashed, or were worn out',
    registers,
  });

  /** Lanes of single tenants are one to those who read: their names are the tenants' own. */
  const byLane = (figure: (lane: ReturnType<Sandbox['status']>['lanes'][number]) => number) => () => {
    const sums: Record<string, number> = {};
    for (const lane of status().lanes) {
      const [name = ''] = lane.name.split(':');
      sums[name] = (sums[name] ?? 0) + figure(lane);
    }
    return sums;
  };
  gaugeBy(
    registry,
    'understudy_script_runners',
    'Runners that are ready or at work',
    'lane',
    byLane((lane) => lane.ready),
  );
  gaugeBy(
    registry,
    'understudy_script_executing',
    'Runs that execute',
    'lane',
    byLane((lane) => lane.executing),
  );
  gaugeBy(
    registry,
    'understudy_script_waiting',
    'Runs that wait for their turn',
    'lane',
    byLane((lane) => lane.waiting),
  );
  gaugeBy(
    registry,
    'understudy_script_quarantined',
    'Tenants whose runs go to the quarantine, and scripts that are refused',
    'what',
    () => status().quarantine,
  );

  return {
    ran({ result, wallMs }, waitMs) {
      runs.inc({ result });
      runSeconds.observe(wallMs / 1000);
      waitSeconds.observe(waitMs / 1000);
    },
    runnerEnded: () => ended.inc(),
  };
}
