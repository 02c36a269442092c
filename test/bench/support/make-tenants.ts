import type { Understudy } from './understudy.ts';

export interface BenchTenant {
  /** The path of its endpoint. */
  path: string;
  machine: { clientId: string; clientSecret: string };
  managementApiIndicator: string;
}

/** Creates tenants at `/t0`, `/t1`, … of the service's host. */
export async function makeTenants({ origin, operator }: Understudy, count: number): Promise<BenchTenant[]> {
  const tenants: BenchTenant[] = [];
  const headers = { authorization: `Bearer ${await operator.token('tenants')}`, 'content-type': 'application/json' };
  for (let index = 0; index < count; index += 1) {
    const path = `/t${index}`;
    const body = JSON.stringify({ id: `t${index}`, name: `Tenant ${index}`, endpoints: [`${origin}${path}`] });
    const response = await fetch(`${origin}/admin/api/tenants`, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`no tenant: ${response.status} ${await response.text()}`);
    tenants.push({ path, ...((await response.json()) as Omit<BenchTenant, 'path'>) });
  }
  return tenants;
}
