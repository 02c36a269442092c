import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

/** A window of the event loop's delay. */
const WINDOW_MS = 500;
const RESOLUTION_MS = 20;

/** Why a request was not taken. Used as a metric label: never renamed. */
export type PressureReason = 'requests' | 'event_loop' | 'database' | 'audit';

export interface PressureSigns {
  /** More requests are being worked on than there may be. */
  requests(): boolean;
  /** Work waits for the database instead of being done. */
  database(): boolean;
  /** Audit entries that nobody waits for are not being written: to go on would be to lose them. */
  audit(): boolean;
}

/**
 * Whether this process has more to do than it can. Of the event loop's delay it is the median of half a second that
 * counts: the loser, the mean, takes one pause of the whole process for a flood.
 */
export class Pressure {
  readonly #signs: PressureSigns;
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #isLate = false;

  constructor(maxEventLoopDelayMs: number, signs: PressureSigns) {
    this.#signs = signs;
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#isLate = this.#histogram.percentile(50) / 1e6 - RESOLUTION_MS > maxEventLoopDelayMs;
      this.#histogram.reset();
    }, WINDOW_MS).unref();
  }

  get reason(): PressureReason | undefined {
    if (this.#signs.requests()) return 'requests';
    if (this.#isLate) return 'event_loop';
    if (this.#signs.database()) return 'database';
    return this.#signs.audit() ? 'audit' : undefined;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}

const OVERLOADED = 'The service has more to do than it can. Try again shortly.';

/** 503 with `Retry-After`, before anything is done for the request. */
export function shedLoad(pressure: Pressure, onShed?: (reason: PressureReason) => void): RequestHandler {
  return (_request, _response, next) => {
    const { reason } = pressure;
    if (reason === undefined) return next();
    onShed?.(reason);
    throw new ServiceError('request.unavailable', { message: OVERLOADED, headers: { 'Retry-After': '1' } });
  };
}
