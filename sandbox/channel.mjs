import { readSync, writeSync } from 'node:fs';

/** The inherited socket to the parent. It needs no path and no permission, so it works inside every hardening layer. */
const CHANNEL_FD = 3;

/** A 4-byte file with the id of the last request that was begun. The parent has it open too, and reads it after a crash. */
const FLIGHT_RECORDER_FD = 4;

/** Bytes read and not consumed yet. One read usually returns a whole frame. */
let buffer = Buffer.alloc(64 * 1024);
let start = 0;
let end = 0;

/**
 * Waits for a frame. The calls are synchronous because this process has nothing else to do while it waits, and the kernel wakes a
 * blocked thread faster than an event loop would.
 *
 * @returns {import('./protocol.ts').Request | undefined} undefined once the parent is gone
 */
export function receive() {
  return fill(4) && fill(4 + lengthAt(start)) ? take() : undefined;
}

/** Returns the next frame if it has already been read, without waiting. @returns {import('./protocol.ts').Request | undefined} */
export function receiveNext() {
  return end - start >= 4 && end - start >= 4 + lengthAt(start) ? take() : undefined;
}

/** Replies that are not sent yet. The buffer grows for large ones, which are rare. */
const OUTGOING_BYTES = 64 * 1024;
let outgoing = Buffer.alloc(OUTGOING_BYTES);
let written = 0;

/** Maximum number of UTF-8 bytes of one UTF-16 code unit. */
const UNIT_BYTES = 3;

/**
 * Queues a reply for `flush`. Rejected: one write per reply, because each write wakes the parent, which costs as much as a small run.
 *
 * @param {import('./protocol.ts').Reply} reply
 */
export function put(reply) {
  const text = JSON.stringify(reply);
  const most = written + 4 + text.length * UNIT_BYTES;
  if (most > outgoing.length) outgoing = Buffer.concat([outgoing.subarray(0, written)], most);
  const length = outgoing.write(text, written + 4);
  outgoing.writeUInt32LE(length, written);
  written += 4 + length;
}

export function flush() {
  for (let sent = 0; sent < written; ) sent += writeSync(CHANNEL_FD, outgoing, sent, written - sent);
  written = 0;
  if (outgoing.length > OUTGOING_BYTES) outgoing = Buffer.alloc(OUTGOING_BYTES);
}

const flight = new Uint32Array(1);

/**
 * Records which request is being handled. If the runner dies, only the run with this id can be the cause. All others had not begun
 * or had already ended. Those whose replies did not arrive are run again elsewhere.
 *
 * @param {number} id
 */
export function record(id) {
  flight[0] = id;
  writeSync(FLIGHT_RECORDER_FD, flight, 0, 4, 0);
}

function take() {
  const length = lengthAt(start);
  const text = buffer.toString('utf8', start + 4, start + 4 + length);
  start += 4 + length;
  return JSON.parse(text);
}

/** Like `readUInt32LE` without its checks: without a JIT every instruction counts. @param {number} at */
const lengthAt = (at) =>
  /** @type {number} */ (buffer[at]) +
  /** @type {number} */ (buffer[at + 1]) * 0x100 +
  /** @type {number} */ (buffer[at + 2]) * 0x10000 +
  /** @type {number} */ (buffer[at + 3]) * 0x1000000;

/** Reads until the buffer has this many bytes. Returns false once the parent is gone. @param {number} length */
function fill(length) {
  if (start === end) start = end = 0;
  if (start + length > buffer.length) {
    const larger = Buffer.alloc(Math.max(length, buffer.length));
    buffer.copy(larger, 0, start, end);
    [buffer, start, end] = [larger, 0, end - start];
  }
  while (end - start < length) {
    const got = readSync(CHANNEL_FD, buffer, end, buffer.length - end, null);
    if (got === 0) return false;
    end += got;
  }
  return true;
}
