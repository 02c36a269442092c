import { Sandbox, type SandboxOptions, type ScriptSandbox } from '../../src/script-runners/sandbox.ts';

const NOTHING = { layers: [], groups: [], quarantine: { tenants: 0, scripts: 0 } };

/** A sandbox that starts with its first script: most tests run none, and its runners cost more than the other parts of a service. */
export async function sandboxOnDemand(options: SandboxOptions): Promise<ScriptSandbox> {
  let starting: Promise<Sandbox> | undefined;
  let started: Sandbox | undefined;
  const start = async () => {
    starting ??= Sandbox.start(options);
    started = await starting;
    return started;
  };
  return {
    compile: async (tenantId, source) => (await start()).compile(tenantId, source),
    run: async (request) => (await start()).run(request),
    status: () => started?.status() ?? NOTHING,
    readiness: () => started?.readiness() ?? { layers: [], lanes: [], quarantine: NOTHING.quarantine },
    close: async () => (await starting)?.close(),
  };
}
