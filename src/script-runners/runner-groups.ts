import { MINUTE_MS } from '../base/times.ts';
import type { RunnerGroupListener, RunnerGroupOptions } from './group-options.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import { Quarantine } from './quarantine.ts';
import type { Run } from './run.ts';
import type { Runner } from './runner/runner.ts';
import { CLOSED, RunnerGroup } from './runner-group.ts';
import { newOpenState } from './states.ts';
import type { SandboxOptions, ScriptVersion } from './types.ts';

/** Milliseconds without work after which the quarantine group or a tenant's own group is closed. */
const IDLE_MS = MINUTE_MS;

/** Maximum number of groups of single tenants. If more tenants have runs, the group that has been idle longest is closed. */
const TENANT_GROUPS = 32;

type RunnerGroupsOptions = Pick<RunnerGroupOptions, 'spawn' | 'limits' | 'broker' | 'logger'> &
  Pick<SandboxOptions, 'runners' | 'observer'> & { isolation: NonNullable<SandboxOptions['isolation']> };

/** Selects the runner group of a script: the shared one, the quarantine, or its tenant's own. */
export class RunnerGroups {
  readonly quarantine: Quarantine;
  readonly #options: RunnerGroupsOptions;
  readonly #groups = new Map<string, RunnerGroup>();
  readonly #state = newOpenState('runner groups');
  readonly #closing = new Set<Promise<void>>();
  /** With runner-per-tenant only: a process that no tenant has used, ready for the next group. */
  #reserve: Promise<RunnerProcess> | undefined;

  private constructor(options: RunnerGroupsOptions) {
    this.#options = options;
    const noted = options.isolation === 'shared' ? (tenantId: string) => this.#noted(tenantId) : () => {};
    this.quarantine = new Quarantine(() => performance.now(), noted);
  }

  /** Starts the runners needed by the first run. Rejects if no runner starts. */
  static async open(options: RunnerGroupsOptions): Promise<RunnerGroups> {
    const groups = new RunnerGroups(options);
    try {
      await (options.isolation === 'shared' ? groups.#shared().open() : groups.#fillReserve());
    } catch (error) {
      await groups.close();
      throw error;
    }
    return groups;
  }

  /** Submits a run to its group. Refuses it if no further group may be opened, because all are busy with other tenants. */
  submit(run: Run): void {
    const group = this.#state.is('open') ? this.#groupOf(run.script) : undefined;
    if (group) group.submit(run);
    else run.refuse(this.#state.is('open') ? 'All runners are busy with other tenants. Try again later.' : CLOSED);
  }

  #groupOf({ tenantId }: ScriptVersion): RunnerGroup | undefined {
    if (this.#options.isolation === 'shared') {
      return this.quarantine.holds(tenantId) ? this.#quarantineGroup() : this.#shared();
    }
    const name = `tenant:${tenantId}`;
    if (!this.#groups.has(name) && this.#groups.size >= TENANT_GROUPS && !this.#makeRoom()) return undefined;
    return this.#group(name, { size: 1, standby: 0, spawn: () => this.#takeReserve() });
  }

  /** Returns true while a run executes or waits. */
  watch(now: number): boolean {
    let isBusy = false;
    for (const [name, group] of this.#groups) {
      group.watch(now);
      isBusy ||= group.isBusy;
      if (name !== 'shared' && !group.isBusy && group.lastUsedAt < now - IDLE_MS) this.#close(name, group);
    }
    return isBusy;
  }

  get status() {
    return [...this.#groups.values()].map(({ status }) => status);
  }

  /** Resolves once no process is left. */
  async close(): Promise<void> {
    if (this.#state.is('open')) this.#state.enter('closed');
    for (const [name, group] of this.#groups) this.#close(name, group);
    const reserve = await this.#reserve?.catch(() => undefined);
    await Promise.all([...this.#closing, reserve?.kill()]);
  }

  #shared(): RunnerGroup {
    const { runners, spawn } = this.#options;
    const runnerHeld = (runner: Runner, tenantId: string) => this.#moveAway(runner, tenantId);
    return this.#group('shared', { size: runners, standby: 1, spawn }, { runnerHeld });
  }

  /**
   * Moves a run that computes while other tenants wait, with its runner, to the quarantine group. Its tenant's other runs follow. So one
   * tenant delays the others once, by `slowMs`, regardless of how many runs it has and what they do.
   */
  #moveAway(runner: Runner, tenantId: string): void {
    const quarantine = this.#quarantineGroup();
    if (quarantine.status.ready < this.#options.limits.slowRunners) {
      runner.process.lowerPriority();
      quarantine.adopt(this.#shared().release(runner));
    }
    this.quarantine.moved(tenantId);
  }

  /** Moves the waiting runs of a tenant that is now in quarantine. At the first warning it only starts the quarantine group. */
  #noted(tenantId: string): void {
    if (this.#state.is('closed')) return; // A run that ended just before must not start a new group.
    this.#quarantineGroup().openLate();
    if (!this.quarantine.holds(tenantId)) return;
    for (const run of this.#shared().takeWaiting(tenantId)) this.#quarantineGroup().submit(run);
  }

  /**
   * One runner with the lowest CPU priority. It has no standby: the runners that moved here are used before one is started, so that the
   * shared group gets the CPU time to replace them.
   */
  #quarantineGroup(): RunnerGroup {
    const spawn = async () => {
      const process = await this.#options.spawn();
      process.lowerPriority();
      return process;
    };
    return this.#group('quarantine', { size: 1, standby: 0, spawn });
  }

  #group(
    name: string,
    layout: Pick<RunnerGroupOptions, 'size' | 'standby' | 'spawn'>,
    more?: Pick<RunnerGroupListener, 'runnerHeld'>,
  ): RunnerGroup {
    const existing = this.#groups.get(name);
    if (existing) return existing;
    const { limits, broker, logger, observer } = this.#options;
    const listener: RunnerGroupListener = {
      runnerKilled: (script) => this.quarantine.killed(script),
      runnerEnded: () => observer?.runnerEnded(),
      ...more,
    };
    const group = new RunnerGroup({ name, ...layout, limits, broker, logger, listener });
    this.#groups.set(name, group);
    return group;
  }

  #makeRoom(): boolean {
    const [longest] = [...this.#groups]
      .filter(([, group]) => !group.isBusy)
      .sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    if (longest) this.#close(...longest);
    return longest !== undefined;
  }

  #close(name: string, group: RunnerGroup): void {
    this.#groups.delete(name);
    const closed = group.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #fillReserve(): Promise<RunnerProcess> {
    this.#reserve = this.#options.spawn();
    this.#reserve.catch(() => {}); // Reported to the group that takes it.
    return this.#reserve;
  }

  #takeReserve(): Promise<RunnerProcess> {
    const taken = this.#reserve ?? this.#options.spawn();
    void this.#fillReserve();
    return taken;
  }
}
