import { Counter, Histogram } from 'prom-client';
import { counterBy, gaugeBy, type Registry } from '../observe/metrics.ts';
import type { ScriptSandbox } from './sandbox.ts';
import type { SandboxObserver } from './types.ts';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

type GroupStatus = ReturnType<ScriptSandbox['status']>['groups'][number];

export function scriptMetrics(registry: Registry): SandboxObserver {
  const registers = [registry];
  const countRun = counterBy(
    registry,
    'understudy_script_runs_total',
    'Runs of claims scripts by result, named as in the run log',
    'result',
  );
  const seconds = (name: string, help: string) => new Histogram({ name, help, buckets: SECONDS, registers });
  const runSeconds = seconds('understudy_script_run_seconds', 'Time from handing a run to a runner until its result');
  const waitSeconds = seconds('understudy_script_wait_seconds', 'Time a run waits for a runner');
  const ended = new Counter({
    name: 'understudy_script_runners_ended_total',
    help: 'Runners that were killed because of a script, crashed, or were replaced because their memory had grown',
    registers,
  });

  return {
    ran({ result, wallMs }, waitMs) {
      countRun(result);
      runSeconds.observe(wallMs / 1000);
      waitSeconds.observe(waitMs / 1000);
    },
    runnerEnded: () => ended.inc(),
  };
}

export function sandboxGauges(registry: Registry, sandbox: ScriptSandbox): void {
  /** Adds up by kind of group: `tenant:ID` counts as `tenant`, so that no tenant's id becomes a label. */
  const gaugeByGroup = (name: string, help: string, figure: (group: GroupStatus) => number) =>
    gaugeBy(registry, name, help, 'lane', () => {
      const sums: Record<string, number> = {};
      for (const group of sandbox.status().groups) {
        const [kind = ''] = group.name.split(':');
        sums[kind] = (sums[kind] ?? 0) + figure(group);
      }
      return sums;
    });
  gaugeByGroup('understudy_script_runners', 'Runners that are ready or executing', ({ ready }) => ready);
  gaugeByGroup('understudy_script_executing', 'Runs that are executing', ({ executing }) => executing);
  gaugeByGroup('understudy_script_waiting', 'Runs that wait for a runner', ({ waiting }) => waiting);
  gaugeBy(
    registry,
    'understudy_script_quarantined',
    'Tenants whose runs go to the quarantine runners, and scripts that are disabled',
    'what',
    () => sandbox.status().quarantine,
  );
}
