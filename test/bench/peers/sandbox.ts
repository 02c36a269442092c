import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getQuickJS } from 'quickjs-emscripten';
import type { PackagedPeers, Peer } from '../sandbox/peers.ts';
import { INPUT, SCRIPT } from '../sandbox/sample.ts';

/** QuickJS in WebAssembly: a new runtime for each run in this process, with a memory limit. */
async function quickjs(): Promise<Peer> {
  const engine = await getQuickJS();
  const code = `${SCRIPT}; let out; getCustomJwtClaims(JSON.parse(input)).then((r) => { out = JSON.stringify(r); });`;
  const call = () => {
    const runtime = engine.newRuntime();
    runtime.setMemoryLimit(16 * 1024 * 1024);
    const context = runtime.newContext();
    const input = context.newString(INPUT);
    context.setProp(context.global, 'input', input);
    context.unwrapResult(context.evalCode(code)).dispose();
    runtime.executePendingJobs();
    const output = context.unwrapResult(context.evalCode('out'));
    const text = context.getString(output);
    output.dispose();
    input.dispose();
    context.dispose();
    runtime.dispose();
    return JSON.parse(text);
  };
  return { call, close: () => {} };
}

const WORKERD_CONFIG = (socket: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "unix:${socket}", http = (), service = "main")],
);
const worker :Workerd.Worker = (modules = [(name = "main", esModule = embed "main.js")], compatibilityDate = "2026-01-01");`;

/**
 * workerd: a process of its own, with HTTP over a unix socket. It keeps a script's globals between runs; ours does not.
 */
async function workerd(): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-workerd-'));
  const socket = join(folder, 'socket');
  const module = `${SCRIPT}\nexport default { fetch: async (request) => Response.json(await getCustomJwtClaims(await request.json())) };`;
  await writeFile(join(folder, 'main.js'), module);
  await writeFile(join(folder, 'config.capnp'), WORKERD_CONFIG(socket));
  const binary = join(
    dirname(fileURLToPath(import.meta.resolve('@cloudflare/workerd-linux-64/package.json'))),
    'bin/workerd',
  );
  const child = spawn(binary, ['serve', join(folder, 'config.capnp')], { stdio: 'ignore' });

  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const call = () =>
    new Promise((resolve, reject) => {
      const sent = request(
        { socketPath: socket, agent, method: 'POST', headers: { 'content-length': Buffer.byteLength(INPUT) } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve(JSON.parse(text)));
        },
      );
      sent.on('error', reject).end(INPUT);
    });
  for (const end = performance.now() + 10_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const answered = await call().then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (performance.now() > end) throw new Error('workerd did not start.');
  }
  const close = async () => {
    agent.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  };
  return { call, close };
}

export const peers: PackagedPeers = { quickjs, workerd };
