import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/database.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { Logger } from '../../observe/logger.ts';
import { Deliveries } from '../deliveries/deliveries.ts';
import { cancelled, givenBack } from '../deliveries/settlement.ts';
import { Settler } from '../deliveries/settler.ts';
import { isCancelled } from '../deliveries/state.ts';
import type { ClaimedDelivery } from '../deliveries/statements.ts';
import { ReplayWalk } from '../replay/replay-walk.ts';
import { type AttemptSeen, Attempts } from './attempts.ts';
import { type Lane, Lanes } from './hook-queues.ts';
import { DEFAULT_RETRY_SCHEDULE } from './retry-schedule.ts';
import { Slots } from './slots.ts';

const POLL_MS = 1000;

export type PollerSettings = Omit<Config['webhooks'], 'allowedNetworks' | 'loopbackByDefault' | 'proxyUrl'>;

export interface PollerParts {
  database: Database;
  client: Pick<HttpClient, 'request'>;
  secrets: SecretBox;
  logger: Logger;
  settings: PollerSettings;
  clock: Clock;
  /** For metrics. */
  onAttempt?: ((seen: AttemptSeen) => void) | undefined;
  /** Told of deliveries that some process had taken and did not settle in time. */
  onLeasesExpired?: ((deliveries: number) => void) | undefined;
}

/**
 * Claim, deliver, settle. Woken at once by commits of this process and of others; polling
 * every second is what is relied on, and what finds retries and the leases of processes that died.
 */
export class WebhookPoller {
  readonly #parts: PollerParts;
  readonly #deliveries: Deliveries;
  readonly #settler: Settler;
  readonly #lanes: Lanes;
  readonly #slots: Slots;
  readonly #attempts: Attempts;
  readonly #replays: ReplayWalk;
  readonly #underWay = new Set<Promise<void>>();
  /** Tenants to look at; `undefined` stands for all. */
  readonly #toScan = new Set<string | undefined>();
  #filling: Promise<void> | undefined;
  #hasNews = false;
  #poll: NodeJS.Timeout | undefined;
  #slotTimer: NodeJS.Timeout | undefined;
  #unlisten: (() => void) | undefined;
  #isRunning = false;

  constructor(parts: PollerParts) {
    const { database, logger, settings, clock } = parts;
    const schedule = settings.retryScheduleSeconds ?? DEFAULT_RETRY_SCHEDULE;
    this.#parts = parts;
    this.#deliveries = new Deliveries(database, newId());
    this.#settler = new Settler(this.#deliveries, logger);
    this.#lanes = new Lanes({ maxRoom: settings.perHookConcurrency, schedule });
    this.#slots = new Slots(settings.concurrency);
    this.#attempts = new Attempts({ ...parts, schedule, settler: this.#settler, lanes: this.#lanes });
    this.#replays = new ReplayWalk(database, clock, logger);
  }

  async start(): Promise<void> {
    this.#isRunning = true;
    if (this.#parts.database.kind === 'sqlite') this.#tellExpired(await this.#deliveries.freeAll());
    this.#unlisten = this.#parts.database.commits.listen((tenantId, written) => {
      if (written.has('replays')) this.#replays.wake();
      if (written.has('clearings')) this.#giveBack(this.#lanes.of(tenantId)); // They know their hooks as they were.
      if (written.has('deliveries')) this.wake(tenantId);
    });
    this.#poll = setInterval(() => this.#tick(), POLL_MS);
    this.wake();
  }

  /** Looks for due rows at once, of one tenant or of all. */
  wake(tenantId?: string): void {
    this.#toScan.add(tenantId);
    if (tenantId !== undefined) this.#lanes.markLikely(tenantId);
    this.#fill();
  }

  /** Claims no more, lets attempts under way end (their deadline is the limit), records them, gives the rest back. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#poll);
    clearTimeout(this.#slotTimer);
    this.#unlisten?.();
    await Promise.all([this.#filling, this.#replays.stop()]);
    this.#giveBack();
    await Promise.all(this.#underWay);
    await this.#settler.flush();
  }

  /** For metrics. */
  stats() {
    const lanes = this.#lanes;
    return { inFlight: this.#slots.inUse, queued: lanes.queued, breakers: lanes.breakerStates(this.#parts.clock()) };
  }

  #tick(): void {
    this.#lanes.prune(this.#parts.clock());
    this.#lanes.wakeAll();
    this.#startQueued();
    this.#replays.step();
    this.wake();
  }

  /** One at a time; what changes meanwhile is seen by one more round. */
  #fill(): void {
    this.#hasNews = true;
    this.#filling ??= this.#claimWhileNews()
      .catch((error) => {
        this.#hasNews = false; // The next poll tries again.
        this.#parts.logger.error({ err: error }, 'webhook deliveries could not be claimed');
      })
      .finally(() => {
        this.#filling = undefined;
        if (this.#hasNews) this.#fill();
      });
  }

  async #claimWhileNews(): Promise<void> {
    while (this.#isRunning && this.#hasNews) {
      this.#hasNews = false;
      await this.#claim(); // For the likely ones; then the question finds the others.
      if (this.#toScan.size > 0) await turn(); // A request on an idle connection leaves with the next turn: first that.
      await this.#scan();
    }
    this.#hasNews = false;
  }

  async #claim(): Promise<void> {
    const { clock, settings } = this.#parts;
    const now = clock();
    const wanted = this.#lanes.wanted(now);
    if (wanted.length === 0) return;
    this.#hasNews = true; // There may be more where these come from.
    const claimed = await this.#deliveries.claim(wanted, now, now + settings.leaseMs);
    this.#tellExpired(claimed.filter(({ wasLeased }) => wasLeased).length);
    this.#lanes.accept(wanted, claimed);
    this.#startQueued();
  }

  #tellExpired(leases: number): void {
    if (leases > 0) this.#parts.onLeasesExpired?.(leases);
  }

  /** Learns which hooks have due rows, of those tenants that somebody spoke of. */
  async #scan(): Promise<void> {
    const tenants = this.#toScan.has(undefined) ? [undefined] : [...this.#toScan];
    this.#toScan.clear();
    for (const tenantId of tenants) {
      this.#hasNews = true;
      this.#lanes.markDue(await this.#deliveries.dueHooks(this.#parts.clock(), tenantId));
    }
  }

  #startQueued(): void {
    while (this.#isRunning) {
      const slot = this.#slots.take();
      if (!slot) {
        this.#slotTimer ??= setTimeout(() => {
          this.#slotTimer = undefined;
          this.#startQueued();
        }, this.#slots.nextFreeMs);
        return;
      }
      const next = this.#lanes.next(this.#parts.clock(), this.#slots.free);
      if (!next || !this.#start(next.lane, next.row, slot)) this.#slots.leave(slot);
      if (!next) return;
    }
  }

  #giveBack(lanes?: Lane[]): void {
    for (const row of this.#lanes.takeBack(lanes)) this.#settler.add(givenBack(row));
  }

  /** @returns whether an attempt is now under way */
  #start(lane: Lane, row: ClaimedDelivery, slot: symbol): boolean {
    const isOver = isCancelled(row);
    if (isOver || row.leaseUntil - this.#parts.clock() < this.#parts.settings.timeoutMs) {
      this.#settler.add(isOver ? cancelled(row) : givenBack(row));
      this.#lanes.wake(lane);
      return false;
    }
    this.#lanes.begin(lane);
    const attempt = this.#attempts.make(lane, row).finally(() => {
      this.#lanes.end(lane);
      this.#slots.leave(slot);
      this.#underWay.delete(attempt);
      this.#startQueued();
      if (this.#lanes.isHungry(lane, this.#parts.clock())) this.#fill();
    });
    this.#underWay.add(attempt);
    return true;
  }
}
