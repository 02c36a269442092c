import { spawnSync } from 'node:child_process';
import { readFileSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { createConnection } from 'node:net';

/**
 * Simulates a script that has escaped from its isolate and controls the runner. It is started in place of the runner, tries everything
 * that the layers prevent, and reports its successes in the form of the runner's first frame.
 */

const FILE = `/tmp/intruder-${process.pid}`;

/** @param {() => unknown} deed */
const manages = (deed) => {
  try {
    return Boolean(deed());
  } catch {
    return false;
  }
};

const status = manages(() => readFileSync('/proc/self/status')) ? readFileSync('/proc/self/status', 'utf8') : '';
/** @type {Record<string, boolean>} */
const managed = {
  readsFiles: manages(() => readFileSync('/etc/passwd', 'utf8')),
  writesFiles: manages(() => {
    writeFileSync(FILE, 'x'.repeat(10_000));
    unlinkSync(FILE);
    return true;
  }),
  startsPrograms: manages(() => spawnSync('/bin/true').status === 0),
  readsEnvironment: Object.keys(process.env).some((name) => name !== 'PWD'),
  makesMachineCode: manages(
    () => new /** @type {any} */ (globalThis).WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
  ),
  takesMemory: manages(() => Array.from({ length: 22 }, () => Buffer.alloc(64 * 1024 * 1024, 1))),
  gainsPrivileges: status.includes('NoNewPrivs:\t0'),
};

const report = () => {
  const text = JSON.stringify({ kind: 'ready', layers: Object.keys(managed).filter((name) => managed[name]) });
  const frame = Buffer.alloc(4 + Buffer.byteLength(text));
  frame.writeUInt32LE(frame.length - 4);
  frame.write(text, 4);
  writeSync(3, frame);
};

try {
  // Nothing listens on this port. ECONNREFUSED shows that the connection attempt reached the network.
  const socket = createConnection({ host: '127.0.0.1', port: 9 });
  socket.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => {
    managed.reachesNetwork = code === 'ECONNREFUSED';
    report();
  });
} catch {
  report();
}
