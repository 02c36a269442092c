/**
 * Gives up what the process needed only to start: its user, when that is root.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 * @throws when it cannot: a runner that keeps its rights must not run
 */
export function confine({ identity }) {
  if (!identity) return;
  process.setgroups?.([]);
  process.setgid?.(identity.gid);
  process.setuid?.(identity.uid);
}

/** The hardening layers this process finds itself in, by looking rather than by having been told. */
export function layersInside() {
  const { permission, env, execArgv } = process;
  /** @type {Record<string, boolean>} */
  const layers = {
    jitless: !('WebAssembly' in globalThis),
    permission:
      permission !== undefined &&
      !['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'].some((scope) => permission.has(scope)),
    'no-inspector': execArgv.includes('--disable-sigusr1'),
    'empty-environment': Object.keys(env).every((name) => name === 'PWD'), // Set by bwrap, to the root folder.
    'unprivileged-user': process.getuid?.() !== 0,
  };
  return Object.keys(layers).filter((name) => layers[name]);
}
