import { hash } from 'node:crypto';
import { fetchBroker } from './fetch-broker.ts';
import { LIMITS, type SandboxLimits } from './limits.ts';
import { compileOutcome, runOutcome, stopped } from './outcome.ts';
import { harden } from './process/hardening.ts';
import { RunnerProcess } from './process/runner-process.ts';
import { Run } from './run.ts';
import { RunnerGroups } from './runner-groups.ts';
import type { CompileOutcome, RunAnswer, RunOutcome, RunRequest, SandboxOptions, ScriptVersion } from './types.ts';

export { FetchRefusal } from './fetch-broker.ts';
export type { FailedResult, RunOutcome, SandboxFetch, SandboxOptions } from './types.ts';

/** The part of a sandbox that the service uses. */
export type ScriptSandbox = Pick<Sandbox, 'compile' | 'run' | 'status' | 'readiness' | 'close'>;

/** Runs tenants' scripts in child processes. All untrusted code is executed through this class. */
export class Sandbox {
  /** Active hardening layers of every runner. */
  readonly layers: readonly string[];
  readonly #options: SandboxOptions;
  readonly #limits: SandboxLimits;
  readonly #groups: RunnerGroups;
  #watch: NodeJS.Timeout | undefined;

  private constructor(options: SandboxOptions, layers: string[], limits: SandboxLimits, groups: RunnerGroups) {
    this.layers = layers;
    this.#options = options;
    this.#limits = limits;
    this.#groups = groups;
  }

  /** Probes the hardening layers and starts the runners. @throws if a required layer is not available or no runner starts */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const { runners, isolation = 'shared', logger, observer } = options;
    const { layers, missing, first, command } = await harden(options);
    const started = [first];
    const spawn = async () => started.pop() ?? RunnerProcess.start(command);
    const limits = { ...LIMITS, ...options.limits };
    const broker = options.fetch && fetchBroker(options.fetch, limits);
    const groups = await RunnerGroups.open({ runners, isolation, spawn, limits, broker, logger, observer });
    logger.info({ layers, missing, runners, isolation }, 'Sandbox is ready');
    return new Sandbox(options, layers, limits, groups);
  }

  /** Checks a script before it is saved: it must compile, its top level must end, and it must define `getCustomJwtClaims`. */
  async compile(tenantId: string, source: string): Promise<CompileOutcome> {
    const { scriptBytes } = this.#limits;
    const script = versionOf(tenantId, source);
    if (isTooLarge(source, scriptBytes))
      return { ok: false, message: `The script is larger than ${scriptBytes} bytes.` };
    this.#groups.quarantine.forgive(script);
    return compileOutcome(await this.#submit(script, {}), this.#limits);
  }

  /** Runs a script. Never rejects: every failure is an outcome. */
  async run({ tenantId, source, input, timeoutMs, memoryMb }: RunRequest): Promise<RunOutcome> {
    const { scriptBytes, inputBytes } = this.#limits;
    if (isTooLarge(source, scriptBytes)) return stopped('too-large', `The script is larger than ${scriptBytes} bytes.`);
    if (isTooLarge(input, inputBytes)) return stopped('too-large', `The input is larger than ${inputBytes} bytes.`);
    const script = versionOf(tenantId, source);
    if (this.#groups.quarantine.refuses(script)) {
      return stopped('quarantined', 'The script is disabled after repeated crashes. Upload it again to enable it.');
    }
    const submittedAt = performance.now();
    const answer = await this.#submit(script, { input, timeoutMs, memoryMb });
    const outcome = runOutcome(answer, this.#limits);
    this.#options.observer?.ran(outcome, performance.now() - submittedAt - outcome.wallMs);
    const isCounted = answer.from === 'pool' && answer.endedRunner === true;
    if (!isCounted) this.#groups.quarantine.ended(script, outcome);
    return outcome;
  }

  /** Current figures for metrics. */
  status() {
    return { layers: this.layers, groups: this.#groups.status, quarantine: this.#groups.quarantine.size };
  }

  /** Current figures for `/readyz?verbose`, where runner groups are called lanes. */
  readiness() {
    const { layers, groups: lanes, quarantine } = this.status();
    return { layers, lanes, quarantine };
  }

  /** Answers waiting runs as `overloaded` and ends all runners. Resolves once no child process is left. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#groups.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #submit(script: ScriptVersion, { input, ...wanted }: Partial<RunRequest>): Promise<RunAnswer> {
    const { timeoutMs, memoryMb } = this.#options;
    const run = new Run({
      script,
      input,
      timeoutMs: Math.max(1, Math.min(wanted.timeoutMs ?? timeoutMs, timeoutMs)),
      memoryMb: Math.max(this.#limits.leastMemoryMb, Math.min(wanted.memoryMb ?? memoryMb, memoryMb)),
    });
    this.#groups.submit(run);
    if (!run.is('answered')) this.#watch ??= setInterval(() => this.#tick(), this.#limits.watchMs);
    return run.answer;
  }

  /** Checks time and memory limits. The timer stops when no run is executing or waiting. */
  #tick(): void {
    try {
      if (this.#groups.watch(performance.now())) return;
    } catch (err) {
      this.#options.logger.error({ err }, 'The limits of sandbox runs could not be checked');
      return;
    }
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

const isTooLarge = (text: string, bytes: number): boolean => text.length > bytes || Buffer.byteLength(text) > bytes;

const versionOf = (tenantId: string, source: string): ScriptVersion => ({
  tenantId,
  source,
  key: `${tenantId}:${hash('sha256', source, 'base64url')}`,
});
