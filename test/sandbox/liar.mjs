import { readSync, writeSync } from 'node:fs';

/** Plays a runner that does not keep the rules: whatever it is given, it gives back. */

/** @param {object} reply */
function say(reply) {
  const text = JSON.stringify(reply);
  const frame = Buffer.alloc(4 + Buffer.byteLength(text));
  frame.writeUInt32LE(frame.length - 4);
  frame.write(text, 4);
  writeSync(3, frame);
}

say({ kind: 'ready', layers: [] });
const given = Buffer.alloc(1024 * 1024);
for (let length = readSync(3, given); length > 0; length = readSync(3, given)) {
  say({ kind: 'back', id: JSON.parse(given.toString('utf8', 4, length)).id });
}
