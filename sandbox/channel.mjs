import { readSync, writeSync } from 'node:fs';

/** The socket to the parent, inherited: it needs no path and no permission, so it works inside every hardening layer. */
const CHANNEL_FD = 3;

/** A file of four bytes shared with the parent, who reads it after a crash: the id of the last request that was begun. */
const FLIGHT_RECORDER_FD = 4;

/**
 * Waits for a frame: the thread sleeps in the kernel, which wakes it faster than an event loop would. Nothing else has to
 * happen in this process meanwhile; that is why the calls are synchronous.
 *
 * @returns {import('./protocol.ts').Request | undefined} undefined when the parent is gone
 */
export function receive() {
  const head = read(4);
  const frame = head && read(head.readUInt32LE());
  return frame && JSON.parse(frame.toString());
}

/** @param {import('./protocol.ts').Reply} reply */
export function send(reply) {
  const text = JSON.stringify(reply);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32LE(length);
  frame.write(text, 4);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(CHANNEL_FD, frame, sent);
}

const flight = Buffer.alloc(4);

/**
 * Notes which request is being handled. When a runner dies with another number here than that of the run it was given,
 * that run had not started: it is innocent and can be run again elsewhere.
 *
 * @param {number} id
 */
export function record(id) {
  flight.writeUInt32LE(id);
  writeSync(FLIGHT_RECORDER_FD, flight, 0, 4, 0);
}

/**
 * @param {number} length
 * @returns {Buffer | undefined}
 */
function read(length) {
  const buffer = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const got = readSync(CHANNEL_FD, buffer, filled, length - filled, null);
    if (got === 0) return undefined;
    filled += got;
  }
  return buffer;
}
