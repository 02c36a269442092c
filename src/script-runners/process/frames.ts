import type { Reply, Request } from '../../../sandbox/protocol.ts';

/** Maximum size of one frame in bytes. Even a fetch with the largest body is smaller, so a longer frame means that the runner is compromised. */
const FRAME_BYTES = 8 * 1024 * 1024;

/** Encodes one message to a runner: 4 bytes of length, then JSON. */
export function encodeFrame(request: Request): Buffer {
  const text = JSON.stringify(request);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32LE(length);
  frame.write(text, 4);
  return frame;
}

/** Splits the bytes from a runner into messages. The runner is not trusted: an invalid frame throws. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): Reply[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const replies: Reply[] = [];
    while (this.#pending.length >= 4) {
      const end = 4 + this.#pending.readUInt32LE();
      if (end > FRAME_BYTES) throw new Error('The runner sent a frame that is too large.');
      if (this.#pending.length < end) break;
      replies.push(JSON.parse(this.#pending.toString('utf8', 4, end)));
      this.#pending = this.#pending.subarray(end);
    }
    return replies;
  }
}
