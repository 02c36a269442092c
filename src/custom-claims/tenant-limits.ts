import Type, { type Static } from 'typebox';
import type { TenantStore } from '../database/store/tenant-store.ts';
import { ServiceError } from '../errors.ts';

/** Limits for one run of a tenant's script, at most the operator's. */
export const ScriptLimits = Type.Object({
  timeoutMs: Type.Integer({ minimum: 10, description: 'Milliseconds of one run' }),
  memoryMb: Type.Integer({ minimum: 8, description: 'MB of one isolate' }),
});
export type ScriptLimits = Static<typeof ScriptLimits>;

/** Returns the limits the tenant configured. The sandbox enforces the operator's where those are lower. */
export const ownScriptLimits = async (store: TenantStore): Promise<Partial<ScriptLimits>> =>
  (await store.find('configs', { key: 'sandbox' }))?.settings ?? {};

/** Returns the lower of the tenant's and the operator's limits: the operator may have lowered theirs since the tenant's were saved. */
export async function readScriptLimits(store: TenantStore, operator: ScriptLimits): Promise<ScriptLimits> {
  const own = await ownScriptLimits(store);
  return {
    timeoutMs: Math.min(own.timeoutMs ?? operator.timeoutMs, operator.timeoutMs),
    memoryMb: Math.min(own.memoryMb ?? operator.memoryMb, operator.memoryMb),
  };
}

/** @throws ServiceError 400 `guard.invalid_input`, naming the limit that is above the operator's */
export function refuseAboveOperator(wanted: Partial<ScriptLimits>, operator: ScriptLimits): void {
  for (const name of ['timeoutMs', 'memoryMb'] as const) {
    const value = wanted[name];
    if (value === undefined || value <= operator[name]) continue;
    throw new ServiceError('guard.invalid_input', {
      message: 'The body of the request is not valid.',
      details: `body.${name}: must be at most ${operator[name]}`,
    });
  }
}
