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
  if (!fill(4)) return undefined;
  const length = lengthAt(start);
  if (!fill(4 + length)) return undefined;
  const text = buffer.toString('utf8', start + 4, start + 4 + length);
  start += 4 + length;
  return JSON.parse(text);
}

/** Where replies are written; larger ones, which are rare, get a buffer of their own. */
const outgoing = Buffer.alloc(64 * 1024);

/** UTF-8 bytes of one UTF-16 unit, at most. */
const UNIT_BYTES = 3;

/** @param {import('./protocol.ts').Reply} reply */
export function send(reply) {
  const text = JSON.stringify(reply);
  const most = 4 + text.length * UNIT_BYTES;
  const frame = most <= outgoing.length ? outgoing : Buffer.allocUnsafe(most);
  const length = frame.write(text, 4);
  frame.writeUInt32LE(length);
  for (let sent = 0; sent < 4 + length; ) sent += writeSync(CHANNEL_FD, frame, sent, 4 + length - sent);
}

const flight = new Uint32Array(1);

/**
 * Notes which request is being handled. When a runner dies with another number here than that of the run it was given,
 * that run had not started: it is innocent and can be run again elsewhere.
 *
 * @param {number} id
 */
export function record(id) {
  flight[0] = id;
  writeSync(FLIGHT_RECORDER_FD, flight, 0, 4, 0);
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
