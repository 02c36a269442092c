import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { ScriptVersionRow, TokenType } from '../database/tables/index.ts';
import type { RunOutcome, Sandbox } from '../script-runners/sandbox.ts';
import { withoutReserved } from './reserved-claims.ts';
import type { RunLog } from './runs.ts';
import { readScriptLimits, type ScriptLimits } from './tenant-limits.ts';
import { activeVersion, environmentOf } from './versions.ts';

/** What a script is told of the token and of the circumstances. */
export interface ClaimsInput {
  token: { jti: string; accountId?: string | undefined } & Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The script failed and its owner wants no token without it. `result` is one of the list in the contract, section 4. */
export class ScriptFailure extends Error {
  readonly result: Exclude<RunOutcome['result'], 'ok'>;

  constructor(result: ScriptFailure['result'], message: string) {
    super(message);
    this.name = 'ScriptFailure';
    this.result = result;
  }
}

export interface CustomClaimsOptions {
  sandbox: Pick<Sandbox, 'run'>;
  /** The operator's; a tenant's own may be lower. */
  limits: ScriptLimits;
  cache: TenantCache;
  secrets: SecretBox;
  runs: RunLog;
  clock: Clock;
}

interface Active {
  limits: ScriptLimits;
  version: ScriptVersionRow;
  environmentVariables: Record<string, string>;
}

/** A tenant's own claims for a token: the active script version, run in the sandbox. */
export class CustomClaims {
  readonly #options: CustomClaimsOptions;

  constructor(options: CustomClaimsOptions) {
    this.#options = options;
  }

  /**
   * The claims to add; none when no script is active. `input` is asked for only when one is.
   *
   * @throws {ScriptFailure} when the run failed and the version blocks issuance on that, and always when it denied access
   */
  async claimsFor(
    store: TenantStore,
    tokenType: TokenType,
    input: () => Promise<ClaimsInput>,
  ): Promise<Record<string, unknown>> {
    const active = await this.#active(store, tokenType);
    if (!active) return {};
    const { version, environmentVariables, limits } = active;
    const { token, context } = await input();
    const { sandbox, secrets, runs, clock } = this.#options;

    const text = JSON.stringify({ token, context, environmentVariables });
    const outcome = await sandbox.run({
      tenantId: store.tenantId,
      source: version.script,
      input: text,
      timeoutMs: limits.timeoutMs,
      memoryMb: limits.memoryMb,
    });
    const { kept, dropped } = withoutReserved(outcome.result === 'ok' ? outcome.output : {});
    const now = clock();
    store.count(now, {
      scriptRuns: 1,
      scriptMicros: Math.round(outcome.wallMs * 1_000),
      [outcome.result === 'denied' ? 'scriptDenials' : 'scriptFailures']: outcome.result === 'ok' ? 0 : 1,
    });
    runs.add(store, {
      tokenType,
      number: version.number,
      result: outcome.result,
      message: outcome.result === 'ok' ? null : outcome.message,
      wallMs: Math.round(outcome.wallMs),
      cpuMs: Math.round(outcome.cpuMs),
      droppedClaims: dropped,
      console: outcome.console,
      userId: token.accountId ?? null,
      jti: token.jti,
      inputEncrypted: version.recordInputs
        ? secrets.seal(JSON.stringify({ token, context }), inputPurpose(store.tenantId, token.jti))
        : null,
      createdAt: now,
    });

    if (outcome.result === 'ok') return kept;
    // A denial is the script's decision, not its failure: it always counts.
    if (version.blockIssuanceOnError || outcome.result === 'denied')
      throw new ScriptFailure(outcome.result, outcome.message);
    return {};
  }

  #active(store: TenantStore, tokenType: TokenType): Promise<Active | undefined> {
    const { cache, secrets, limits: operator } = this.#options;
    return cache.get(store.tenantId, `script:${tokenType}`, async () => {
      const version = await activeVersion(store, tokenType);
      if (!version) return undefined;
      const limits = await readScriptLimits(store, operator);
      return { version, environmentVariables: environmentOf(version, secrets), limits };
    });
  }
}

/** Of a recorded input: the run's `jti` is in its row. */
export const inputPurpose = (tenantId: string, jti: string): string => `script-input:${tenantId}:${jti}`;
