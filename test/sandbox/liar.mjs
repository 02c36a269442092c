import { readSync, writeSync } from 'node:fs';

/**
 * Simulates a runner that violates the protocol. The argument selects how: `shirks` hands back every run. `parks` reports twice that a run
 * waits for a fetch. The others answer a single run. If there are several runs, `keeps` never answers the first and hands back the rest, and `stalls` alternates forever between recording one and
 * another as begun.
 */
const way = process.argv[2];

/** @param {object} reply */
function say(reply) {
  const text = JSON.stringify(reply);
  const frame = Buffer.alloc(4 + Buffer.byteLength(text));
  frame.writeUInt32LE(frame.length - 4);
  frame.write(text, 4);
  writeSync(3, frame);
}

const done = (/** @type {number} */ id) =>
  say({ kind: 'done', id, wallMs: 0.1, cpuMs: 0.1, spareUsed: true, console: [], result: 'ok', output: '{}' });

const parked = (/** @type {number} */ id) =>
  say({ kind: 'parked', id, cpuMs: 0.1, fetches: [{ fetch: 1, request: '{}' }] });

/** @param {number[]} ids */
function stall(ids) {
  for (let turn = 0; ; turn++) {
    writeSync(4, new Uint32Array([ids[turn % ids.length] ?? 0]), 0, 4, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}

say({ kind: 'ready', layers: [] });
const given = Buffer.alloc(1024 * 1024);
for (let length = readSync(3, given); length > 0; length = readSync(3, given)) {
  const ids = [];
  for (let at = 0; at < length; at += 4 + given.readUInt32LE(at)) {
    ids.push(JSON.parse(given.toString('utf8', at + 4, at + 4 + given.readUInt32LE(at))).id);
  }
  if (way === 'stalls' && ids.length > 1) stall(ids);
  for (const [place, id] of ids.entries()) {
    if (way === 'parks') for (const _ of [1, 2]) parked(id);
    else if (way === 'shirks' || place > 0) say({ kind: 'back', id });
    else if (way !== 'keeps' || ids.length === 1) done(id);
  }
}
