import type { Clock } from '../base/clock.ts';
import type { Services } from '../http/operations/services.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Sandbox } from '../script-runners/sandbox.ts';
import { hashPassword, verifyPassword } from '../sign-in/proofs/passwords.ts';
import { deliver } from '../webhooks/sending/deliver.ts';

export interface ServiceCallsParts {
  sandbox: Sandbox;
  guard: AddressGuard;
  client: HttpClient;
  clock: Clock;
  scriptLimits: { timeoutMs: number; memoryMb: number };
  webhookLimits: { deadlineMs: number; maxResponseBytes: number };
}

/** Returns the slow work that operations of the Management API may use, implemented by the parts that do it. */
export function serviceCalls({
  scriptLimits,
  sandbox,
  guard,
  client,
  clock,
  webhookLimits,
}: ServiceCallsParts): Services {
  return {
    scriptLimits,
    hashPassword: (tenantId, password) => hashPassword(password, { tenantId, isInteractive: false }),
    verifyPassword: (tenantId, digest, password) =>
      verifyPassword(digest, password, { tenantId, isInteractive: false }),
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
      for (const { id, body } of events) {
        const { error, status, message } = await deliver(client, target, { id, body }, webhookLimits, clock);
        if (error) return { reason: message ?? error, ...(status !== undefined && { status }) };
      }
      return undefined;
    },
  };
}
