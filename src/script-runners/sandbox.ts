import { hash } from 'node:crypto';
import { FetchBroker } from './fetch-broker.ts';
import { LIMITS, type SandboxLimits } from './limits.ts';
import { compileOutcome, runOutcome, stopped } from './outcome.ts';
import { type Hardening, harden } from './process/hardening.ts';
import { RunnerProcess } from './process/runner-process.ts';
import { Quarantine } from './quarantine.ts';
import { Lanes } from './runner-groups.ts';
import type { Answer, CompileOutcome, Job, RunOutcome, RunRequest, SandboxOptions, ScriptVersion } from './types.ts';

export type { ConsoleLine, FetchAnswer, FetchRequest } from '../../sandbox/protocol.ts';
export { FetchRefusal } from './fetch-broker.ts';
export type {
  CompileOutcome,
  FetchLimits,
  RunOutcome,
  RunRequest,
  SandboxFetch,
  SandboxOptions,
} from './types.ts';

/** Tenants' scripts, run in child processes: the only door between this service and code it does not trust. */
export class Sandbox {
  /** The hardening layers that are active around every runner. */
  readonly layers: readonly string[];
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #quarantine: Quarantine;
  readonly #lanes: Lanes;
  #watch: NodeJS.Timeout | undefined;

  private constructor(options: SandboxOptions, { layers }: Hardening, quarantine: Quarantine, lanes: Lanes) {
    this.layers = layers;
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#quarantine = quarantine;
    this.#lanes = lanes;
  }

  /**
   * Probes the hardening layers and starts the runners.
   *
   * @throws when a required layer is not to be had, or when runners do not start
   */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const { runners, isolation = 'shared', logger, observer } = options;
    const hardening = await harden(options);
    const quarantine = new Quarantine(() => performance.now());
    const started = [hardening.first];
    const spawn = async () => started.pop() ?? RunnerProcess.start(hardening.command);
    const limits = limitsOf(options);
    const broker = options.fetch && new FetchBroker(options.fetch, limits);
    const lanes = await Lanes.open({ runners, isolation, spawn, quarantine, limits, broker, logger, observer });
    const sandbox = new Sandbox(options, hardening, quarantine, lanes);
    logger.info({ layers: hardening.layers, missing: hardening.missing, runners, isolation }, 'the sandbox is ready');
    return sandbox;
  }

  /** Tries a script before it is kept: it must compile, its top level must end, and it must define `getCustomJwtClaims`. */
  async compile(tenantId: string, source: string): Promise<CompileOutcome> {
    const { scriptBytes } = this.#limits;
    const script = versionOf(tenantId, source);
    if (isTooLarge(source, scriptBytes))
      return { ok: false, message: `The script is larger than ${scriptBytes} bytes.` };
    this.#quarantine.forgive(script);
    return compileOutcome(await this.#submit(script, {}), this.#limits);
  }

  /** Never rejects: whatever a script does is an outcome. */
  async run({ tenantId, source, input, timeoutMs, memoryMb }: RunRequest): Promise<RunOutcome> {
    const { scriptBytes, inputBytes } = this.#limits;
    if (isTooLarge(source, scriptBytes)) return stopped('too-large', `The script is larger than ${scriptBytes} bytes.`);
    if (isTooLarge(input, inputBytes)) return stopped('too-large', `The input is larger than ${inputBytes} bytes.`);
    const script = versionOf(tenantId, source);
    if (this.#quarantine.refuses(script)) {
      return stopped('quarantined', 'The script ended its runner too often. It is refused until it is uploaded again.');
    }
    const submittedAt = performance.now();
    const answer = await this.#submit(script, { input, timeoutMs, memoryMb });
    const outcome = runOutcome(answer, this.#limits);
    this.#options.observer?.ran(outcome, performance.now() - submittedAt - outcome.wallMs);
    const isCounted = answer.from === 'pool' && answer.endedRunner === true;
    if (!isCounted) this.#quarantine.ended(script, outcome);
    return outcome;
  }

  /** For metrics and readiness. */
  status() {
    return { layers: this.layers, lanes: this.#lanes.status, quarantine: this.#quarantine.size };
  }

  /** Waiting runs are answered as overload. Resolves when no child process is left. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#lanes.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #submit(script: ScriptVersion, wish: Partial<Pick<RunRequest, 'input' | 'timeoutMs' | 'memoryMb'>>): Promise<Answer> {
    const { timeoutMs, memoryMb } = this.#options;
    return new Promise((settle) => {
      const job: Job = {
        script,
        input: wish.input,
        timeoutMs: Math.max(1, Math.min(wish.timeoutMs ?? timeoutMs, timeoutMs)),
        memoryMb: Math.max(this.#limits.leastMemoryMb, Math.min(wish.memoryMb ?? memoryMb, memoryMb)),
        queuedAt: performance.now(),
        requeues: 0,
        settle,
      };
      const lane = this.#lanes.laneOf(script);
      if (!lane)
        return settle({
          from: 'pool',
          result: 'overloaded',
          message: 'All runners belong to other tenants now.',
          wallMs: 0,
        });
      lane.submit(job);
      this.#watch ??= setInterval(() => this.#tick(), this.#limits.watchMs);
    });
  }

  /** Runs only while something does. */
  #tick(): void {
    if (this.#lanes.watch(performance.now())) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

const isTooLarge = (text: string, bytes: number): boolean => text.length > bytes || Buffer.byteLength(text) > bytes;

const limitsOf = ({ limits }: SandboxOptions): SandboxLimits => ({ ...LIMITS, ...limits });

const versionOf = (tenantId: string, source: string): ScriptVersion => ({
  tenantId,
  source,
  key: `${tenantId}:${hash('sha256', source, 'base64url')}`,
});
