import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../errors.ts';

/** A window of the event loop's delay. */
const WINDOW_MS = 500;
const RESOLUTION_MS = 20;
/** So many in a row: one pause of the whole process is no flood. */
const LATE_WINDOWS = 2;

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

/** Whether this process has more to do than it can. Of the event loop's delay it is the median that counts, over and over. */
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
const OVERLOADED = 'The service has more to do than it can. Try again shortly.';

export interface ShedLoadParts {
  pressure: Pick<Pressure, 'reason'>;
  /** Answers a browser. */
  sendPage(request: Request, response: Response): void;
  /** For metrics. */
  onShed?: ((reason: PressureReason) => void) | undefined;
}

/** 503 with `Retry-After`, before anything is done for the request. */
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
