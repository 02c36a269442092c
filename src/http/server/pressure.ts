import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors.ts';

/** The event-loop delay is measured in windows of this length. */
const WINDOW_MS = 500;
const RESOLUTION_MS = 20;
/** Late windows in a row that count as overload, so that a single pause of the process does not. */
const LATE_WINDOWS = 2;

/** Why a request was refused. Used as a metric label: never renamed. */
export type PressureReason = 'requests' | 'event_loop' | 'database' | 'audit';

export interface PressureSigns {
  /** True if too many requests are in progress. */
  requests(): boolean;
  /** True if too much work waits for the database. */
  database(): boolean;
  /**
   * True if audit entries of the background batch cannot be written fast enough, so that further ones would be lost.
   */
  audit(): boolean;
}

/** Detects overload of this process. For the event loop it requires a late median delay in several windows in a row. */
export class Pressure {
  readonly #signs: PressureSigns;
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #lateWindows = 0;

  constructor(maxEventLoopDelayMs: number, signs: PressureSigns) {
    this.#signs = signs;
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      const delayMs = this.#histogram.percentile(50) / 1e6 - RESOLUTION_MS;
      this.#lateWindows = delayMs > maxEventLoopDelayMs ? this.#lateWindows + 1 : 0;
      this.#histogram.reset();
    }, WINDOW_MS).unref();
  }

  get reason(): PressureReason | undefined {
    if (this.#signs.requests()) return 'requests';
    if (this.#lateWindows >= LATE_WINDOWS) return 'event_loop';
    if (this.#signs.database()) return 'database';
    return this.#signs.audit() ? 'audit' : undefined;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}

const RETRY_AFTER = { 'Retry-After': '1' };
const OVERLOADED = 'The service is overloaded. Try again shortly.';

export interface ShedLoadParts {
  pressure: Pick<Pressure, 'reason'>;
  /** Sends the page for browsers. */
  sendPage(request: Request, response: Response): void;
  /** For metrics. */
  onShed?: ((reason: PressureReason) => void) | undefined;
}

/** Returns middleware that responds 503 with `Retry-After` under overload. */
export function shedLoad({ pressure, sendPage, onShed }: ShedLoadParts): RequestHandler {
  return (request, response, next) => {
    const { reason } = pressure;
    if (reason === undefined) return next();
    onShed?.(reason);
    if (!request.headers.accept?.includes('text/html'))
      throw new ServiceError('request.unavailable', { message: OVERLOADED, headers: RETRY_AFTER });
    response.set(RETRY_AFTER);
    sendPage(request, response);
  };
}
