import { Counter, Histogram } from 'prom-client';
import { gaugeBy, type Registry } from '../observe/metrics.ts';
import type { Sandbox } from './sandbox.ts';
import type { SandboxObserver } from './types.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** @param status called on every scrape, because the sandbox is created after its metrics */
export function scriptMetrics(registry: Registry, status: () => ReturnType<Sandbox['status']>): SandboxObserver {
  const registers = [registry];
  const runs = new Counter({
    name: 'understudy_script_runs_total',
    help: 'Runs of claims scripts by result, named as in the run log',
    labelNames: ['result'] as const,
    registers,
  });
  const runSeconds = new Histogram({
    name: 'understudy_script_run_seconds',
    help: 'Time from handing a run to a runner until its result',
    buckets: SECONDS,
    registers,
  });
  const waitSeconds = new Histogram({
    name: 'understudy_script_wait_seconds',
    help: 'Time a run waits for a runner',
    buckets: SECONDS,
    registers,
  });
  const ended = new Counter({
    name: 'understudy_script_runners_ended_total',
    help: 'Runners that were killed because of a script, crashed, or were replaced because their memory had grown',
    registers,
  });

  /** Adds up by kind of group: `tenant:ID` counts as `tenant`, so that no tenant's id becomes a label. */
  const byGroup = (figure: (group: ReturnType<Sandbox['status']>['groups'][number]) => number) => () => {
    const sums: Record<string, number> = {};
    for (const group of status().groups) {
      const [name = ''] = group.name.split(':');
      sums[name] = (sums[name] ?? 0) + figure(group);
    }
    return sums;
  };
  gaugeBy(
    registry,
    'understudy_script_runners',
    'Runners that are ready or executing',
    'lane',
    byGroup((group) => group.ready),
  );
  gaugeBy(
    registry,
    'understudy_script_executing',
    'Runs that are executing',
    'lane',
    byGroup((group) => group.executing),
  );
  gaugeBy(
    registry,
    'understudy_script_waiting',
    'Runs that wait for a runner',
    'lane',
    byGroup((group) => group.waiting),
  );
  gaugeBy(
    registry,
    'understudy_script_quarantined',
    'Tenants whose runs go to the quarantine runners, and scripts that are disabled',
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
