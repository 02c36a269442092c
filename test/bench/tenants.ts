import { readFile } from 'node:fs/promises';
import { LoadDriver } from './support/load.ts';
import { makeTenants } from './support/make-tenants.ts';
import { playRounds } from './support/rounds.ts';
import { startUnderstudy, type Understudy } from './support/understudy.ts';

const TENANTS = 500;
const ROUNDS = 7;
const CONNECTIONS = 16;
/** Requests per contestant and round: four to each tenant. */
const REQUESTS = 4 * TENANTS;

interface Machine {
  /** The path of the tenant's token endpoint. */
  path: string;
  form: string;
}

/**
 * Measures 500 tenants at paths of one host, in one process on SQLite: the time to create one, the cost of a tenant's
 * first request compared with later ones, the memory each one adds, and client credentials over all of them in turn
 * compared with the same number at a single tenant.
 */
export async function bench() {
  using driver = new LoadDriver();
  await using service = await startUnderstudy();
  const first = machineAt('', service.credentials.machine, service.credentials.managementApiIndicator);
  const ask = async (machines: Machine[], requests: number, connections = CONNECTIONS) => {
    const { perSecond } = await driver.send({
      origin: service.origin,
      path: '',
      paths: Array.from({ length: requests }, (_, index) => machines[index % machines.length]?.path ?? ''),
      bodies: Array.from({ length: requests }, (_, index) => machines[index % machines.length]?.form ?? ''),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      connections,
      status: 200,
    });
    return perSecond;
  };

  const startedAt = performance.now();
  const others = (await makeTenants(service, TENANTS - 1)).map(({ path, machine, managementApiIndicator }) =>
    machineAt(path, machine, managementApiIndicator),
  );
  const makingMs = (performance.now() - startedAt) / others.length;
  // Warm-up, so that only the tenants' memory is measured.
  for (let turn = 0; turn < 3; turn += 1) await ask([first], REQUESTS);
  const memoryOfOne = await residentMb(service);

  const firstMs = 1_000 / (await ask(others, others.length, 1));
  const laterMs = 1_000 / (await ask(others, others.length, 1));
  const all = [first, ...others];
  const { medians, rounds, ratio } = await playRounds(ROUNDS, {
    one: () => ask([first], REQUESTS),
    all: () => ask(all, REQUESTS),
  });
  const memoryOfAll = await residentMb(service);

  return {
    ratios: { allVsOne: ratio('all', 'one') },
    tenants: TENANTS,
    makingMs,
    firstMs,
    laterMs,
    residentMb: { one: memoryOfOne, all: memoryOfAll },
    residentKbPerTenant: ((memoryOfAll - memoryOfOne) * 1_024) / others.length,
    connections: CONNECTIONS,
    perSecond: medians,
    rounds,
  };
}

function machineAt(path: string, machine: { clientId: string; clientSecret: string }, resource: string): Machine {
  const { clientId: client_id, clientSecret: client_secret } = machine;
  const form = { grant_type: 'client_credentials', client_id, client_secret, resource, scope: 'all' };
  return { path: `${path}/oidc/token`, form: new URLSearchParams(form).toString() };
}

/** Memory of the service's process without its sandbox runners. Needs `/proc`. */
async function residentMb({ pid }: Understudy): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
