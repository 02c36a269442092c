import { readSync, writeSync } from 'node:fs';

/** The socket to the parent, inherited: it needs no path and no permission, so it works inside every hardening layer. */
const CHANNEL_FD = 3;

/** A file of four bytes shared with the parent, who reads it after a crash: the id of the last request that was begun. */
const FLIGHT_RECORDER_FD = 4;

/** What was read and not yet taken: usually a whole frame comes with one read. */
let buffer = Buffer.alloc(64 * 1024);
let start = 0;
let end = 0;

/**
 * Waits for a frame: the thread sleeps in the kernel, which wakes it faster than an event loop would. Nothing else has to
 * happen in this process meanwhile; that is why the calls are synchronous.
 *
 * @returns {import('./protocol.ts').Request | undefined} undefined when the parent is gone
 */
export function receive() {
  return fill(4) && fill(4 + lengthAt(start)) ? take() : undefined;
}

/**
 * A frame that came together with the last one, without waiting for it.
 *
 * @returns {import('./protocol.ts').Request | undefined}
 */
export function receiveNext() {
  return end - start >= 4 && end - start >= 4 + lengthAt(start) ? take() : undefined;
}

/** Replies that were not written yet, one after another. It grows for large ones, which are rare. */
const OUTGOING_BYTES = 64 * 1024;
let outgoing = Buffer.alloc(OUTGOING_BYTES);
let written = 0;

/** UTF-8 bytes of one UTF-16 unit, at most. */
const UNIT_BYTES = 3;

/**
 * A reply that leaves with `flush`: each write wakes the parent, which costs both processes as much as a small run.
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
 * Notes which request is being handled. When a runner dies with another number here than that of the run it was given,
 * that run had not started, or had ended: it is innocent and can be run again elsewhere.
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

/** As `readUInt32LE`, without its checks: what is interpreted is written short here. @param {number} at */
const lengthAt = (at) =>
  /** @type {number} */ (buffer[at]) +
  /** @type {number} */ (buffer[at + 1]) * 0x100 +
  /** @type {number} */ (buffer[at + 2]) * 0x10000 +
  /** @type {number} */ (buffer[at + 3]) * 0x1000000;

/**
 * Reads until this many bytes are there.
 *
 * @param {number} length
 */
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
