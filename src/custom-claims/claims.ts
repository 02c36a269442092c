import type { Clock } from '../base/clock.ts';
import type { SecretBox } from '../base/secret-box.ts';
import type { TenantCache } from '../database/notices/tenant-cache.ts';
import type { TenantStore } from '../database/store/tenant-store.ts';
import type { TokenType } from '../database/tables/index.ts';
import type { FailedResult, Sandbox } from '../script-runners/sandbox.ts';
import { withoutReserved } from './reserved-claims.ts';
import type { RunLog } from './run-log.ts';
import { readScriptLimits, type ScriptLimits } from './tenant-limits.ts';
import { activeVersion, environmentOf } from './versions.ts';

/** The `token` and `context` that a script receives. */
export interface ClaimsInput {
  token: { jti: string; accountId?: string | undefined } & Record<string, unknown>;
  context: Record<string, unknown>;
}

/** A script run failed, and so no token may be issued. docs/wire-contract.md (Custom claims) lists the values of `result`. */
export class ScriptFailure extends Error {
  readonly result: FailedResult;

  constructor(result: FailedResult, message: string) {
    super(message);
    this.name = 'ScriptFailure';
    this.result = result;
  }
}

export interface CustomClaimsOptions {
  sandbox: Pick<Sandbox, 'run'>;
  /** The operator's limits. A tenant's own limits can only be lower. */
  limits: ScriptLimits;
  cache: TenantCache;
  secrets: SecretBox;
  runs: RunLog;
  clock: Clock;
}

/** Adds a tenant's custom claims to a token by running the active script version in the sandbox. */
export class CustomClaims {
  readonly #options: CustomClaimsOptions;

  constructor(options: CustomClaimsOptions) {
    this.#options = options;
  }

  /**
   * Returns the claims to add, none when no script is active. `input` is called only when one is.
   *
   * @throws {ScriptFailure} if the script denied access, or if the run failed and the version has `blockIssuanceOnError`
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
    const outcome = await sandbox.run({ tenantId: store.tenantId, source: version.script, input: text, ...limits });
    const { kept, dropped } = withoutReserved(outcome.result === 'ok' ? outcome.output : {});
    const now = clock();
    store.count(now, {
      scriptRuns: 1,
      scriptMicros: Math.round(outcome.wallMs * 1_000),
      [outcome.result === 'denied' ? 'scriptDenials' : 'scriptFailures']: outcome.result === 'ok' ? 0 : 1,
    });
    const run = {
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
    };
    runs.add({ store, run });

    if (outcome.result === 'ok') return kept;
    // A denial is the script's decision, not a failure, so it is enforced even without `blockIssuanceOnError`.
    if (version.blockIssuanceOnError || outcome.result === 'denied')
      throw new ScriptFailure(outcome.result, outcome.message);
    return {};
  }

  #active(store: TenantStore, tokenType: TokenType) {
    const { cache, secrets, limits: operator } = this.#options;
    return cache.get(store.tenantId, `script:${tokenType}`, async () => {
      const version = await activeVersion(store, tokenType);
      if (!version) return undefined;
      const limits = await readScriptLimits(store, operator);
      return { version, environmentVariables: environmentOf(version, secrets), limits };
    });
  }
}

/** Purpose under which a run's recorded input is sealed. The run log row has the `jti`. */
export const inputPurpose = (tenantId: string, jti: string): string => `script-input:${tenantId}:${jti}`;
