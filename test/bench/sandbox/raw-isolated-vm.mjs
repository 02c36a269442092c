import ivm from 'isolated-vm';

/**
 * isolated-vm with nothing around it: one isolate for all runs, a fresh context for each, the script compiled once,
 * JSON text in and out. It is a process of its own because it needs `--no-node-snapshot`. Reads a number of
 * milliseconds and responds with calls per second.
 */
const isolate = new ivm.Isolate({ memoryLimit: 16 });
const [, , source, input] = /** @type {string[]} */ (process.argv);
const script = isolate.compileScriptSync(`${source}`);
const caller = isolate.compileScriptSync(
  '(() => { let out; return (input) => { if (input === undefined) return out; getCustomJwtClaims(JSON.parse(input)).then((r) => { out = JSON.stringify(r); }); }; })()',
);

function once() {
  const context = isolate.createContextSync();
  script.runSync(context, { timeout: 1000 });
  const call = caller.runSync(context, { reference: true });
  call.applySync(undefined, [input], { timeout: 1000 });
  const output = call.applySync(undefined, [], { timeout: 1000 });
  call.release();
  context.release();
  return output;
}

/** @param {number} ms */
function rate(ms) {
  const startedAt = performance.now();
  let calls = 0;
  for (; performance.now() < startedAt + ms; calls++) once();
  return (calls * 1000) / (performance.now() - startedAt);
}

rate(300);
process.on('message', (ms) => process.send?.({ rate: rate(Number(ms)), output: once() }));
process.send?.('ready');
