import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import type { Reply, Request } from '../../../sandbox/protocol.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { innermost } from './usage.ts';

/** The command that starts a runner. */
export interface RunnerCommand {
  file: string;
  args: string[];
  inheritsEnvironment: boolean;
}

/** The runner that uses a process, as the process reports to it. */
export interface ProcessListener {
  /** Called for each reply, in order. If it throws, the process is killed. */
  replied(reply: Reply): void;
  exited(): void;
}

type ReadyReply = Extract<Reply, { kind: 'ready' }>;

/** Milliseconds from spawn until the first frame. After that the start has failed. */
const START_MS = 15_000;

/** Characters of a runner's standard error that are kept for the log: V8 writes there why it aborted. */
const STDERR_LENGTH = 2_000;

let recorders = 0;

/** One child process and the socket to it. It handles frames and signals and knows nothing about runs. */
export class RunnerProcess {
  /** The first message of the child. */
  readonly ready: ReadyReply;

  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #recorder: number;
  readonly #exited: Promise<void>;
  #listener: ProcessListener | undefined;
  /** Undefined until the process has exited. */
  #begunAtExit: number | undefined;
  #stderr = '';

  private constructor(child: ChildProcess, recorder: number, first: ReadyReply, reader: FrameReader) {
    this.ready = first;
    this.#child = child;
    this.#recorder = recorder;
    this.#channel = channelOf(child);
    this.#channel.on('data', (chunk: Buffer) => {
      try {
        for (const reply of reader.read(chunk)) this.#listener?.replied(reply);
      } catch {
        this.kill();
      }
    });
    this.#channel.on('error', () => {}); // The other end was killed, which `exited` reports.
    (child.stderr as Readable).on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk).slice(-STDERR_LENGTH);
    });
    this.#exited = new Promise((resolve) => {
      // One iteration of the event loop later, so that a reply sent just before the exit is read first.
      child.once('exit', () =>
        setImmediate(() => {
          this.#begunAtExit = this.lastBegun();
          this.#listener?.exited();
          closeSync(recorder);
          resolve();
        }),
      );
    });
  }

  /** Spawns a runner and waits until it is confined and ready. */
  static start({ file, args, inheritsEnvironment }: RunnerCommand): Promise<RunnerProcess> {
    const recorder = openRecorder();
    const child = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', recorder],
      cwd: '/',
      ...(!inheritsEnvironment && { env: {} }),
    });
    const reader = new FrameReader();

    return new Promise((resolve, reject) => {
      let stderr = '';
      /** Removes all listeners at the first event. A later one would close the recorder again, whose descriptor may belong to another file by then. */
      const settled = () => {
        clearTimeout(timer);
        child.off('exit', onExit).off('error', fail);
        child.stderr?.removeAllListeners('data');
        channelOf(child).off('data', onFirst);
      };
      const fail = (error: Error) => {
        settled();
        child.on('error', () => {}).kill('SIGKILL');
        closeSync(recorder);
        reject(error);
      };
      const onExit = () => fail(new Error(`The sandbox runner did not start: ${stderr}`));
      const onFirst = (chunk: Buffer) => {
        const [first] = reader.read(chunk);
        if (first?.kind !== 'ready') return fail(new Error('The sandbox runner sent an unexpected first message.'));
        settled();
        resolve(new RunnerProcess(child, recorder, first, reader));
      };
      const timer = setTimeout(() => fail(new Error('The sandbox runner did not start in time.')), START_MS);

      child.once('error', fail);
      child.once('exit', onExit);
      child.stderr?.on('data', (chunk) => {
        stderr += chunk;
      });
      channelOf(child).once('data', onFirst);
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Exit code or signal, and the end of the standard error. */
  get exit() {
    return { pid: this.pid, code: this.#child.exitCode, signal: this.#child.signalCode, stderr: this.#stderr };
  }

  /** Called once, by the runner that uses the process. If the process has already exited, that is reported at once. */
  listen(listener: ProcessListener): void {
    this.#listener = listener;
    if (this.#begunAtExit !== undefined) setImmediate(() => listener.exited());
  }

  /** Sends all requests in one write, which wakes the runner only once. */
  send(requests: readonly Request[]): void {
    this.#channel.write(Buffer.concat(requests.map(encodeFrame)));
  }

  /** Returns the id of the last request that the runner began. It is in a shared file, so it can be read after a crash. */
  lastBegun(): number {
    if (this.#begunAtExit !== undefined) return this.#begunAtExit;
    const id = Buffer.alloc(4);
    readSync(this.#recorder, id, 0, 4, 0);
    return id.readUInt32LE();
  }

  /** Gives the process only the CPU time that no other process wants. */
  lowerPriority(): void {
    try {
      setPriority(innermost(this.pid), constants.priority.PRIORITY_LOW);
    } catch {
      // Not supported here, or already gone. Priority is not a limit, so the process may continue without it.
    }
  }

  /** Resolves once the process is gone. Native code cannot ignore SIGKILL. */
  kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    return this.#exited;
  }
}

const channelOf = (child: ChildProcess) => child.stdio[3] as Duplex;

/** Opens a file without a name, which exists as long as one of the two processes has it open. */
function openRecorder(): number {
  const path = join(tmpdir(), `understudy-recorder-${process.pid}-${recorders++}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
