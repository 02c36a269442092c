import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import type { Reply, Request } from '../../../sandbox/protocol.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { innermost } from './proc.ts';

/** How a runner is started. */
export interface RunnerCommand {
  file: string;
  args: string[];
  inheritsEnvironment: boolean;
}

/** Milliseconds from spawn to the first frame before a start counts as failed. */
const START_MS = 15_000;

/** Characters of a runner's standard error that are kept: V8 says there why it aborted. */
const LAST_WORDS_LENGTH = 2_000;

let recorders = 0;

/** One child process and the socket to it. Knows frames and signals, nothing of runs. */
export class RunnerProcess {
  /** What the child said of itself when it was ready. */
  readonly ready: Extract<Reply, { kind: 'ready' }>;
  onReply: (reply: Reply) => void = () => {};
  onExit: () => void = () => {};

  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #recorder: number;
  readonly #exited: Promise<void>;
  #lastWords = '';
  #isAlive = true;

  private constructor(
    child: ChildProcess,
    recorder: number,
    first: Extract<Reply, { kind: 'ready' }>,
    reader: FrameReader,
  ) {
    this.ready = first;
    this.#child = child;
    this.#recorder = recorder;
    this.#channel = channelOf(child);
    this.#channel.on('data', (chunk: Buffer) => {
      try {
        for (const reply of reader.read(chunk)) this.onReply(reply);
      } catch {
        this.kill();
      }
    });
    this.#channel.on('error', () => {}); // A socket whose other end was killed; the exit says all there is to say.
    (child.stderr as Readable).on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk).slice(-LAST_WORDS_LENGTH);
    });
    this.#exited = new Promise((resolve) => {
      // One turn later, so that a reply sent just before the end is read first.
      child.once('exit', () =>
        setImmediate(() => {
          this.#isAlive = false;
          this.onExit();
          closeSync(recorder);
          resolve();
        }),
      );
    });
  }

  /** Spawns a runner and waits until it is confined and listens. */
  static start({ file, args, inheritsEnvironment }: RunnerCommand): Promise<RunnerProcess> {
    const recorder = openRecorder();
    const child = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', recorder],
      cwd: '/',
      ...(!inheritsEnvironment && { env: {} }),
    });
    const reader = new FrameReader();

    return new Promise((resolve, reject) => {
      let lastWords = '';
      /** Whatever comes first decides: what comes later must not close a number that is another file's by then. */
      const decided = () => {
        clearTimeout(timer);
        child.off('exit', onExit).off('error', fail);
        child.stderr?.removeAllListeners('data');
        channelOf(child).off('data', onFirst);
      };
      const fail = (error: Error) => {
        decided();
        child.on('error', () => {}).kill('SIGKILL');
        closeSync(recorder);
        reject(error);
      };
      const onExit = () => fail(new Error(`The sandbox runner did not start: ${lastWords}`));
      const onFirst = (chunk: Buffer) => {
        const [first] = reader.read(chunk);
        if (first?.kind !== 'ready') return fail(new Error('The sandbox runner spoke out of turn.'));
        decided();
        resolve(new RunnerProcess(child, recorder, first, reader));
      };
      const timer = setTimeout(() => fail(new Error('The sandbox runner did not start in time.')), START_MS);

      child.once('error', fail);
      child.once('exit', onExit);
      child.stderr?.on('data', (chunk) => {
        lastWords += chunk;
      });
      channelOf(child).once('data', onFirst);
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** How it ended, for the log. */
  get obituary() {
    return { pid: this.pid, code: this.#child.exitCode, signal: this.#child.signalCode, lastWords: this.#lastWords };
  }

  /** Several at once wake the runner once. */
  send(requests: readonly Request[]): void {
    this.#channel.write(Buffer.concat(requests.map(encodeFrame)));
  }

  /** The id of the last request the runner began: the same file that it writes, so it can be read after a crash. */
  lastBegun(): number {
    const id = Buffer.alloc(4);
    readSync(this.#recorder, id, 0, 4, 0);
    return id.readUInt32LE();
  }

  /** From now on it gets the CPU that others leave. */
  lowerPriority(): void {
    try {
      setPriority(innermost(this.pid), constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // Not on this platform, or already gone: it is a courtesy to the neighbours, not a limit.
    }
  }

  /** Resolves when the process is gone. Native code cannot refuse this signal. */
  kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    return this.#exited;
  }
}

const channelOf = (child: ChildProcess) => child.stdio[3] as Duplex;

/** A file without a name: it lives as long as the two processes that hold it. */
function openRecorder(): number {
  const path = join(tmpdir(), `understudy-recorder-${process.pid}-${recorders++}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
