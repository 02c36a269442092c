import type { HookTestAttempt, Services } from '../http/operations/services.ts';
import { deliver } from '../webhooks/sending/deliver.ts';
import type { Foundation } from './foundation.ts';
import type { Issuing } from './issuing.ts';

/** Returns the slow work that operations of the Management API may use, implemented by the parts that do it. */
export function serviceCalls(
  { config, guard, client, clock, passwords }: Foundation,
  { sandbox }: Pick<Issuing, 'sandbox'>,
): Services {
  const { timeoutMs: deadlineMs, maxResponseBytes } = config.webhooks;
  return {
    scriptLimits: config.sandbox,
    hashPassword: (tenantId, password) => passwords.hash(password, { tenantId, isInteractive: false }),
    verifyPassword: (tenantId, digest, password) =>
      passwords.verify(digest, password, { tenantId, isInteractive: false }),
    refuseHookUrl: (url) => guard.checkUrl(url),

    async compileScript(tenantId, script) {
      const outcome = await sandbox.compile(tenantId, script);
      if (outcome.ok) return undefined;
      const { ok: _, ...fault } = outcome;
      return fault;
    },

    async runScript(tenantId, script, input, limits) {
      const {
        spareUsed: _,
        wallMs,
        cpuMs,
        ...outcome
      } = await sandbox.run({
        tenantId,
        source: script,
        input: JSON.stringify(input),
        ...limits,
      });
      return { ...outcome, wallMs: Math.round(wallMs), cpuMs: Math.round(cpuMs) };
    },

    async sendHookTest({ url, headers, signingKey, hookId, events }) {
      const target = { hookId, url, headers, keys: [signingKey] };
      const attempts: HookTestAttempt[] = [];
      for (const { id, type, body } of events) {
        const limits = { deadlineMs, maxResponseBytes };
        const outcome = await deliver(client, target, { id, body }, limits, clock);
        const { durationMs, status, responseBody, error, message } = outcome;
        attempts.push({
          event: type,
          durationMs,
          ...(status !== undefined && { status }),
          ...(responseBody !== undefined && { responseBody }),
          ...(error && { error: message ?? error }),
        });
        if (error) break;
      }
      return attempts;
    },
  };
}
