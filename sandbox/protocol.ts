/**
 * The messages that cross the process border, types only: the one file of this folder that `src/` may import.
 *
 * A frame is a length (4 bytes, little endian) and that many bytes of JSON in UTF-8, both ways, over an inherited
 * socket, descriptor 3. Nothing but text crosses: no handle, no structured copy, no callable.
 */

/** What the parent tells a runner, once, as the JSON of its first argument. */
export interface RunnerSettings {
  limits: Limits;
  /** Numeric user and group to become before the first frame is read; absent when the server is not root. */
  identity?: { uid: number; gid: number };
  /** Whether scripts get a `fetch`. */
  fetch: boolean;
}

/** Limits that hold inside the runner. The parent checks every one of them again on what comes back. */
export interface Limits {
  /** UTF-8 bytes of the JSON a script returns. */
  resultBytes: number;
  /** UTF-8 bytes of an error or denial message. */
  messageBytes: number;
  /** UTF-8 bytes of the console lines of one run. */
  consoleBytes: number;
  /** Runs after which an isolate is replaced by a new one, so that nothing accumulates. */
  runsPerIsolate: number;
  /** `fetch` calls of one run. */
  fetches: number;
  /** UTF-8 bytes of all requests of one run, as the JSON in which they leave: less than a frame. */
  requestsBytes: number;
  /** Milliseconds after which runs that came together and were not begun go back. */
  turnMs: number;
}

export type Request =
  | { kind: 'compile'; id: number; source: string; timeoutMs: number; memoryMb: number }
  | {
      kind: 'run';
      id: number;
      /** Names a tenant's script version in this runner; chosen by the parent, never reused. */
      script: number;
      /** Sent once per runner and script; the runner keeps it until the script is unloaded. */
      source?: string;
      /** Scripts to forget first. The parent decides, because it also sizes the memory of the runner. */
      unload?: number[];
      /** JSON text. */
      input: string;
      timeoutMs: number;
      memoryMb: number;
      /** Came with others and is not the first of them: answered with them, or given back. */
      follows?: boolean;
    }
  /** The answer to one `fetch` of a parked run; `response` is the JSON text of a `FetchAnswer`. */
  | { kind: 'resume'; id: number; script: number; fetch: number; response: string; timeoutMs: number }
  /** A parked run whose time is over. */
  | { kind: 'forget'; id: number; script: number };

export type Reply =
  /** First frame: the runner has loaded its code, is confined and waits. `layers` are those it finds itself in. */
  | { kind: 'ready'; layers: string[] }
  | { kind: 'compiled'; id: number; ok: true }
  | { kind: 'compiled'; id: number; ok: false; message: string; line?: number; column?: number }
  | ({ kind: 'done'; id: number; wallMs: number; cpuMs: number; spareUsed: boolean; console: ConsoleLine[] } & (
      | { result: 'ok'; output: string }
      | { result: Failure; message: string }
    ))
  /** The run waits for these fetches; the runner is free for another. */
  | { kind: 'parked'; id: number; cpuMs: number; fetches: FetchCall[] }
  /** A run that followed others, which took too long: it was not begun. */
  | { kind: 'back'; id: number };

/** How a run can fail inside the runner. */
export type Failure = 'denied' | 'thrown' | 'timeout' | 'memory' | 'invalid-result' | 'too-large';

/** One `fetch` of a run: its number in the run, and the JSON text of a `FetchRequest`. */
export interface FetchCall {
  fetch: number;
  request: string;
}

export interface ConsoleLine {
  level: 'log' | 'info' | 'warn' | 'error';
  text: string;
}

/** A script's `fetch(url, init)`, as JSON text. */
export interface FetchRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export type FetchAnswer =
  | { ok: true; status: number; statusText: string; url: string; headers: Record<string, string>; body: string }
  | { ok: false; message: string };
