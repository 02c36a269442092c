/**
 * Drops the rights that the process needed only to start: switches to another user if it is root.
 *
 * @param {import('./protocol.ts').RunnerSettings} settings
 * @throws if that fails, because a runner that keeps its rights must not run scripts
 */
export function confine({ identity }) {
  if (!identity) return;
  process.setgroups?.([]);
  process.setgid?.(identity.gid);
  process.setuid?.(identity.uid);
}

/** Returns the hardening layers that are active for this process. They are detected here, not passed in as settings. */
export function layersInside() {
  const { permission, env, execArgv } = process;
  /** @type {Record<string, boolean>} */
  const layers = {
    jitless: !('WebAssembly' in globalThis),
    permission:
      permission !== undefined &&
      !['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'].some((scope) => permission.has(scope)),
    'no-inspector': execArgv.includes('--disable-sigusr1'),
    'empty-environment': Object.keys(env).every((name) => name === 'PWD'), // bwrap sets `PWD`, to the root folder.
    'unprivileged-user': process.getuid?.() !== 0,
  };
  return Object.keys(layers).filter((name) => layers[name]);
}
