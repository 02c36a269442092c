/**
 * Types of the messages between the service and a runner. This is the only file of this folder that `src/` may import.
 *
 * A frame is a length (4 bytes, little endian) and that many bytes of JSON in UTF-8, in both directions, over an inherited socket,
 * descriptor 3. Only text crosses the process boundary: no handles, structured clones or functions.
 */

/** Settings of a runner, passed as JSON in its first argument. */
export interface RunnerSettings {
  limits: Limits;
  /** Numeric user and group to switch to before the first frame is read. Absent if the service is not root. */
  identity?: { uid: number; gid: number };
  /** True if scripts have `fetch`. */
  fetch: boolean;
}

/** Limits enforced inside the runner. The parent checks each of them again on the replies. */
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
  /** UTF-8 bytes of all fetch requests of one run as JSON. Must be less than a frame. */
  requestsBytes: number;
  /** Milliseconds after which the runs of a shared turn that have not begun are handed back. */
  turnMs: number;
}

export type Request =
  | { kind: 'compile'; id: number; source: string; timeoutMs: number; memoryMb: number }
  | {
      kind: 'run';
      id: number;
      /** Number of the script version in this runner, chosen by the parent and never reused. */
      script: number;
      /** Sent only once per runner and script. The runner keeps it until the script is unloaded. */
      source?: string;
      /** Scripts to unload first. The parent decides, because it also limits the memory of the runner. */
      unload?: number[];
      /** JSON text. */
      input: string;
      timeoutMs: number;
      memoryMb: number;
      /** True for all but the first run of a shared turn: answered together with the others, or handed back. */
      follows?: boolean;
    }
  /** The answer to one `fetch` of a parked run. `response` is the JSON text of a `FetchAnswer`. */
  | { kind: 'resume'; id: number; script: number; fetch: number; response: string; timeoutMs: number }
  /** Drops a parked run that has timed out. */
  | { kind: 'forget'; id: number; script: number };

export type Reply =
  /** The first frame: the runner has loaded its code, is confined and waits. `layers` are the hardening layers it detected. */
  | { kind: 'ready'; layers: string[] }
  | { kind: 'compiled'; id: number; ok: true }
  | { kind: 'compiled'; id: number; ok: false; message: string; line?: number; column?: number }
  | ({ kind: 'done'; id: number; wallMs: number; cpuMs: number; spareUsed: boolean; console: ConsoleLine[] } & (
      | { result: 'ok'; output: string }
      | { result: Failure; message: string }
    ))
  /** The run waits for these fetches, and the runner can execute others. */
  | { kind: 'parked'; id: number; cpuMs: number; fetches: FetchCall[] }
  /** A run of a shared turn that was not begun, because those before it took too long. */
  | { kind: 'back'; id: number };

/** Results of a failed run, as the runner reports them. */
export type Failure = 'denied' | 'thrown' | 'timeout' | 'memory' | 'invalid-result' | 'too-large';

/** One `fetch` of a run: its number within the run, and the JSON text of a `FetchRequest`. */
export interface FetchCall {
  fetch: number;
  request: string;
}

export interface ConsoleLine {
  level: 'log' | 'info' | 'warn' | 'error';
  text: string;
}

/** The arguments of a script's `fetch(url, init)`. Sent as JSON text. */
export interface FetchRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export type FetchAnswer =
  | { ok: true; status: number; statusText: string; url: string; headers: Record<string, string>; body: string }
  | { ok: false; message: string };
