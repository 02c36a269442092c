import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../base/ids.ts';
import { StateMachine } from '../../base/state.ts';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/database.ts';
import { TenantStore } from '../../database/store/tenant-store.ts';
import type { ClaimedDelivery } from '../deliveries/claim.ts';
import { Deliveries } from '../deliveries/deliveries.ts';
import { cancelled, released } from '../deliveries/settlement.ts';
import { Settler } from '../deliveries/settler.ts';
import { isCancelled } from '../deliveries/state.ts';
import { ReplayWorker } from '../replay/replay-worker.ts';
import { DeliverySender, type SenderDependencies } from './delivery-sender.ts';
import { type HookQueue, HookQueues } from './hook-queues.ts';
import { DEFAULT_RETRY_SCHEDULE } from './retry-schedule.ts';
import { Slots } from './slots.ts';

const POLL_MS = 1000;

/** The states of the poller. See docs/states.md. */
const TRANSITIONS = {
  new: ['starting', 'stopping'],
  /** Frees the leases of a previous process (SQLite only). */
  starting: ['idle', 'stopping'],
  /** Waits for a commit or the next poll. Attempts may be in flight. */
  idle: ['claiming', 'stopping'],
  /** A round of claims runs. */
  claiming: ['claiming-again', 'idle', 'stopping'],
  /** A round of claims runs, and another one must follow because there may be more due rows. */
  'claiming-again': ['claiming', 'idle', 'stopping'],
  /** Starts no more attempts, and waits for those in flight. */
  stopping: ['stopped'],
  stopped: [],
} as const;

export type PollerSettings = Omit<Config['webhooks'], 'allowedNetworks' | 'loopbackByDefault' | 'proxyUrl'>;

export interface PollerDependencies
  extends Pick<SenderDependencies, 'client' | 'secrets' | 'logger' | 'clock' | 'onAttempt'> {
  database: Database;
  settings: PollerSettings;
  /** Called with the number of deliveries whose lease expired before their process settled them. */
  onLeasesExpired?: ((deliveries: number) => void) | undefined;
}

/**
 * Claims deliveries, sends them and settles them. Commits of this and other processes wake it at once, but it relies
 * only on polling every second, which also finds retries and expired leases.
 */
export class WebhookPoller {
  readonly #dependencies: PollerDependencies;
  readonly #deliveries: Deliveries;
  readonly #settler: Settler;
  readonly #queues: HookQueues;
  readonly #slots: Slots;
  readonly #sender: DeliverySender;
  readonly #replays: ReplayWorker;
  readonly #state = new StateMachine<keyof typeof TRANSITIONS>('webhook poller', TRANSITIONS, 'new');
  readonly #attempts = new Set<Promise<void>>();
  /** Tenants to query for due deliveries; `undefined` means all. */
  readonly #toScan = new Set<string | undefined>();
  #claimLoop: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #slotTimer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;

  constructor(dependencies: PollerDependencies) {
    const { database, logger, settings, clock } = dependencies;
    const schedule = settings.retryScheduleSeconds ?? DEFAULT_RETRY_SCHEDULE;
    this.#dependencies = dependencies;
    this.#deliveries = new Deliveries(database, newId());
    this.#settler = new Settler(this.#deliveries, logger);
    this.#queues = new HookQueues({ maxRoom: settings.perHookConcurrency, schedule });
    this.#slots = new Slots(settings.concurrency);
    const storeOf = (tenantId: string) => new TenantStore(database, tenantId);
    const [settler, queues] = [this.#settler, this.#queues];
    this.#sender = new DeliverySender({ ...dependencies, storeOf, schedule, settler, queues });
    this.#replays = new ReplayWorker(database, clock, logger);
  }

  async start(): Promise<void> {
    this.#state.enter('starting');
    if (this.#dependencies.database.kind === 'sqlite') this.#reportExpired(await this.#deliveries.freeAll());
    if (this.#isStopping) return;
    this.#state.enter('idle');
    this.#unlisten = this.#dependencies.database.commits.listen((tenantId, written) => {
      if (written.has('replays')) this.#replays.wake();
      if (written.has('clearings')) this.#release(this.#queues.ofTenant(tenantId)); // Their copy of the webhook is old.
      if (written.has('hooks')) void this.#resume(tenantId);
      if (written.has('deliveries')) this.wake(tenantId);
    });
    this.#poll = setInterval(() => this.#tick(), POLL_MS);
    this.wake();
  }

  /** Looks for due rows now, of one tenant or of all. */
  wake(tenantId?: string): void {
    this.#toScan.add(tenantId);
    if (tenantId !== undefined) this.#queues.markLikely(tenantId);
    this.#requestRound();
  }

  /** Stops claiming, releases queued rows, waits for attempts in flight (up to their deadline) and records them. */
  async stop(): Promise<void> {
    if (!this.#isStopping) this.#state.enter('stopping');
    clearInterval(this.#poll);
    clearTimeout(this.#slotTimer);
    this.#unlisten?.();
    await Promise.all([this.#claimLoop, this.#replays.stop()]);
    this.#release();
    await Promise.all(this.#attempts);
    await this.#settler.close();
    if (this.#state.is('stopping')) this.#state.enter('stopped');
  }

  /** For metrics. */
  stats() {
    const queues = this.#queues;
    return {
      inFlight: this.#slots.inUse,
      queued: queues.queued,
      breakers: queues.breakerStates(this.#dependencies.clock()),
    };
  }

  get #isStopping(): boolean {
    return this.#state.is('stopping', 'stopped');
  }

  #tick(): void {
    this.#queues.prune(this.#dependencies.clock());
    this.#queues.scheduleAll();
    this.#startQueued();
    this.#replays.step();
    this.wake();
  }

  /** Runs one round of claims at a time. A request during a round causes another round. */
  #requestRound(): void {
    if (this.#state.is('idle')) this.#claimLoop = this.#runRounds();
    else if (this.#state.is('claiming')) this.#state.enter('claiming-again');
  }

  /** Never throws. After a failure the next poll tries again. */
  async #runRounds(): Promise<void> {
    try {
      do {
        this.#state.enter('claiming');
        await this.#claim(); // For recently active webhooks; the query finds the others.
        // Requests just started are written in the next turn of the event loop. They go first.
        if (this.#toScan.size > 0) await nextTurn();
        await this.#scan();
      } while (this.#state.is('claiming-again'));
    } catch (error) {
      this.#dependencies.logger.error({ err: error }, 'Could not claim webhook deliveries');
    }
    if (!this.#isStopping) this.#state.enter('idle');
  }

  async #claim(): Promise<void> {
    const { clock, settings } = this.#dependencies;
    const now = clock();
    const rooms = this.#queues.toClaim(now);
    if (rooms.length === 0) return;
    this.#requestRound(); // There may be more due rows.
    const claimed = await this.#deliveries.claim(rooms, now, now + settings.leaseMs);
    this.#reportExpired(claimed.filter(({ wasLeased }) => wasLeased).length);
    this.#queues.accept(rooms, claimed);
    this.#startQueued();
  }

  #reportExpired(leases: number): void {
    if (leases > 0) this.#dependencies.onLeasesExpired?.(leases);
  }

  /** Queries which webhooks of the tenants in `#toScan` have due rows. */
  async #scan(): Promise<void> {
    const tenants = this.#toScan.has(undefined) ? [undefined] : [...this.#toScan];
    this.#toScan.clear();
    for (const tenantId of tenants) {
      this.#requestRound();
      this.#queues.markDue(await this.#deliveries.dueHooks(this.#dependencies.clock(), tenantId));
    }
  }

  #startQueued(): void {
    while (!this.#isStopping) {
      const slot = this.#slots.acquire();
      if (!slot) {
        this.#slotTimer ??= setTimeout(() => {
          this.#slotTimer = undefined;
          this.#startQueued();
        }, this.#slots.nextFreeMs);
        return;
      }
      const next = this.#queues.next(this.#dependencies.clock(), this.#slots.available);
      if (!next || !this.#start(next.queue, next.row, slot)) this.#slots.release(slot);
      if (!next) return;
    }
  }

  /**
   * Ends the pauses of webhooks that an administrator asked to try again, in any process. Compares with the last such time
   * that this process knows and not with the start of the pause, because the clock of that process may differ. Never throws.
   */
  async #resume(tenantId: string): Promise<void> {
    const { database, clock, logger } = this.#dependencies;
    const paused = this.#queues.pausedOf(tenantId, clock());
    if (paused.length === 0) return;
    const ids = paused.map(({ hookId }) => hookId);
    try {
      const store = new TenantStore(database, tenantId);
      const hooks = await store.from('hooks').whereIn('id', ids).whereNotNull('resumedAt');
      const resumedAt = new Map(hooks.map((hook) => [hook.id, hook.resumedAt ?? 0]));
      for (const queue of paused) {
        const asked = resumedAt.get(queue.hookId) ?? 0;
        if (asked <= queue.resumedAt) continue;
        queue.resumedAt = asked;
        queue.breaker.probe();
      }
      this.wake(tenantId);
    } catch (err) {
      logger.warn({ err, tenantId }, 'Could not read which webhooks to try again; each pause ends by itself');
    }
  }

  #release(queues?: HookQueue[]): void {
    for (const row of this.#queues.releaseRows(queues)) this.#settler.add(released(row));
  }

  /** @returns true if an attempt was started */
  #start(queue: HookQueue, row: ClaimedDelivery, slot: symbol): boolean {
    const isWithdrawn = isCancelled(row);
    if (isWithdrawn || row.leaseUntil - this.#dependencies.clock() < this.#dependencies.settings.timeoutMs) {
      this.#settler.add(isWithdrawn ? cancelled(row) : released(row));
      this.#queues.schedule(queue);
      return false;
    }
    this.#queues.attemptStarted(queue);
    const attempt = this.#sender.send(queue, row).finally(() => {
      this.#queues.attemptEnded(queue);
      this.#slots.release(slot);
      this.#attempts.delete(attempt);
      this.#startQueued();
      if (this.#queues.needsRows(queue, this.#dependencies.clock())) this.#requestRound();
    });
    this.#attempts.add(attempt);
    return true;
  }
}
