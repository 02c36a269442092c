import type { FetchBroker } from './fetch-broker.ts';
import type { SandboxLimits } from './limits.ts';
import type { RunnerProcess } from './process/runner-process.ts';
import type { Quarantine } from './quarantine.ts';
import type { Runner } from './runner.ts';
import { Lane, type LaneOptions } from './runner-group.ts';
import type { SandboxLogger, SandboxObserver, ScriptVersion } from './types.ts';

/** Milliseconds without work after which a lane that only some tenants need is closed. */
const IDLE_MS = 60_000;

/** Lanes of single tenants at the same time; the longest idle one makes room. */
const TENANT_LANES = 32;

export interface LanesOptions {
  runners: number;
  isolation: 'shared' | 'runner-per-tenant';
  spawn: () => Promise<RunnerProcess>;
  quarantine: Quarantine;
  limits: SandboxLimits;
  broker: FetchBroker | undefined;
  logger: SandboxLogger;
  observer: SandboxObserver | undefined;
}

/** Which runners a script goes to: everybody's, those of the tenants that had to be stopped, or its tenant's own. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #closing = new Set<Promise<void>>();
  /** Runner-per-tenant only: a process that has seen no tenant, ready for the next lane that needs one. */
  #reserve: Promise<RunnerProcess> | undefined;

  private constructor(options: LanesOptions) {
    this.#options = options;
    if (options.isolation === 'shared') options.quarantine.onNote = (tenantId) => this.#noted(tenantId);
  }

  /** Starts what the first run needs. Rejects when runners do not start at all. */
  static async open(options: LanesOptions): Promise<Lanes> {
    const lanes = new Lanes(options);
    try {
      await (options.isolation === 'shared' ? lanes.#shared().open() : lanes.#fillReserve());
    } catch (error) {
      await lanes.close();
      throw error;
    }
    return lanes;
  }

  /** Undefined when every lane there may be is busy with other tenants. */
  laneOf({ tenantId }: ScriptVersion): Lane | undefined {
    if (this.#options.isolation === 'shared') {
      return this.#options.quarantine.holds(tenantId) ? this.#quarantine() : this.#shared();
    }
    const name = `tenant:${tenantId}`;
    if (!this.#lanes.has(name) && this.#lanes.size >= TENANT_LANES && !this.#makeRoom()) return undefined;
    return this.#lane(name, { size: 1, standby: 0, spawn: () => this.#takeReserve() });
  }

  /** True while a run executes or waits somewhere. */
  watch(now: number): boolean {
    let isBusy = false;
    for (const [name, lane] of this.#lanes) {
      lane.watch(now);
      isBusy ||= lane.isBusy;
      if (name !== 'shared' && !lane.isBusy && lane.lastUsedAt < now - IDLE_MS) this.#close(name, lane);
    }
    return isBusy;
  }

  get status() {
    return [...this.#lanes.values()].map(({ status }) => status);
  }

  /** Resolves when no process is left. */
  async close(): Promise<void> {
    for (const [name, lane] of this.#lanes) this.#close(name, lane);
    const reserve = await this.#reserve?.catch(() => undefined);
    await Promise.all([...this.#closing, reserve?.kill()]);
  }

  #shared(): Lane {
    const { runners, spawn } = this.#options;
    const onSlow = (runner: Runner, tenantId: string) => this.#makeWay(runner, tenantId);
    return this.#lane('shared', { size: runners, standby: 1, spawn, onSlow });
  }

  /**
   * A run that computes while others wait goes on in the quarantine lane, with its runner, and its tenant's other runs follow.
   * So one tenant holds up the others once, for `slowMs`, however many runs it has and whatever they are busy with.
   */
  #makeWay(runner: Runner, tenantId: string): void {
    const quarantine = this.#quarantine();
    if (quarantine.runners < this.#options.limits.slowRunners) {
      runner.process.lowerPriority();
      quarantine.adopt(this.#shared().release(runner));
    }
    this.#options.quarantine.slowed(tenantId);
  }

  /** A tenant that is held loses its place among the others at once. Before the first one is, its lane is made warm. */
  #noted(tenantId: string): void {
    this.#quarantine().openLate();
    if (!this.#options.quarantine.holds(tenantId)) return;
    for (const job of this.#shared().takeWaiting(tenantId)) this.#quarantine().submit(job);
  }

  /** One at a time, behind everybody else for the CPU, and with a standby of its own: who crashes runners wears out no other's. */
  #quarantine(): Lane {
    const spawn = async () => {
      const process = await this.#options.spawn();
      process.lowerPriority();
      return process;
    };
    return this.#lane('quarantine', { size: 1, standby: 1, spawn });
  }

  #lane(name: string, layout: Pick<LaneOptions, 'size' | 'standby' | 'spawn' | 'onSlow'>): Lane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const { limits, broker, logger, quarantine, observer } = this.#options;
    const onKill = (script: ScriptVersion) => quarantine.killed(script);
    const lane = new Lane({ name, ...layout, limits, broker, logger, onKill, onEnd: () => observer?.runnerEnded() });
    this.#lanes.set(name, lane);
    return lane;
  }

  #makeRoom(): boolean {
    const idle = [...this.#lanes]
      .filter(([, lane]) => !lane.isBusy)
      .sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    const [longest] = idle;
    if (longest) this.#close(...longest);
    return longest !== undefined;
  }

  #close(name: string, lane: Lane): void {
    this.#lanes.delete(name);
    const closed = lane.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #fillReserve(): Promise<RunnerProcess> {
    this.#reserve = this.#options.spawn();
    this.#reserve.catch(() => {}); // Reported by whoever takes it.
    return this.#reserve;
  }

  #takeReserve(): Promise<RunnerProcess> {
    const taken = this.#reserve ?? this.#options.spawn();
    void this.#fillReserve();
    return taken;
  }
}
