/**
 * SHA-1, SHA-256, SHA-384 and SHA-512 over bytes (FIPS 180-4), and HMAC (RFC 2104). Written in JavaScript, because a native function
 * would give the script an object of the host.
 */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeHash() {
  // First 64 bits of the fractional parts of the cube roots of the first 80 primes, and of the square roots of the first 16.
  // SHA-256 uses the upper 32 bits of the same numbers.
  const CUBE_ROOTS =
    '428a2f98d728ae227137449123ef65cdb5c0fbcfec4d3b2fe9b5dba58189dbbc3956c25bf348b53859f111f1b605d019' +
    '923f82a4af194f9bab1c5ed5da6d8118d807aa98a303024212835b0145706fbe243185be4ee4b28c550c7dc3d5ffb4e2' +
    '72be5d74f27b896f80deb1fe3b1696b19bdc06a725c71235c19bf174cf692694e49b69c19ef14ad2efbe4786384f25e3' +
    '0fc19dc68b8cd5b5240ca1cc77ac9c652de92c6f592b02754a7484aa6ea6e4835cb0a9dcbd41fbd476f988da831153b5' +
    '983e5152ee66dfaba831c66d2db43210b00327c898fb213fbf597fc7beef0ee4c6e00bf33da88fc2d5a79147930aa725' +
    '06ca6351e003826f142929670a0e6e7027b70a8546d22ffc2e1b21385c26c9264d2c6dfc5ac42aed53380d139d95b3df' +
    '650a73548baf63de766a0abb3c77b2a881c2c92e47edaee692722c851482353ba2bfe8a14cf10364a81a664bbc423001' +
    'c24b8b70d0f89791c76c51a30654be30d192e819d6ef5218d69906245565a910f40e35855771202a106aa07032bbd1b8' +
    '19a4c116b8d2d0c81e376c085141ab532748774cdf8eeb9934b0bcb5e19b48a8391c0cb3c5c95a634ed8aa4ae3418acb' +
    '5b9cca4f7763e373682e6ff3d6b2b8a3748f82ee5defb2fc78a5636f43172f6084c87814a1f0ab728cc702081a6439ec' +
    '90befffa23631e28a4506cebde82bde9bef9a3f7b2c67915c67178f2e372532bca273eceea26619cd186b8c721c0c207' +
    'eada7dd6cde0eb1ef57d4f7fee6ed17806f067aa72176fba0a637dc5a2c898a6113f9804bef90dae1b710b35131c471b' +
    '28db77f523047d8432caab7b40c724933c9ebe0a15c9bebc431d67c49c100d4c4cc5d4becb3e42b6597f299cfc657e2a' +
    '5fcb6fab3ad6faec6c44198c4a475817';
  const SQUARE_ROOTS =
    '6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f' +
    '1f83d9abfb41bd6b5be0cd19137e2179cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e5939' +
    '67332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4';

  const word = (table, i) => Number.parseInt(table.slice(16 * i, 16 * i + 8), 16) | 0;
  const longWord = (table, i) => BigInt(`0x${table.slice(16 * i, 16 * i + 16)}`);
  const mask = (value) => BigInt.asUintN(64, value);
  const rotate = (value, bits) => (value >>> bits) | (value << (32 - bits));
  const rotateLong = (value, bits) => mask((value >> bits) | (value << (64n - bits)));

  /** Returns the padded message: the message, a one bit, zeros, and its length in bits. */
  const pad = (bytes, blockBytes) => {
    const length = Math.ceil((bytes.length + 1 + blockBytes / 8) / blockBytes) * blockBytes;
    const padded = new Uint8Array(length);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setBigUint64(length - 8, BigInt(bytes.length) * 8n);
    return view;
  };

  /** Adds to the state what `compress` makes of each block. Typed arrays wrap their elements, as the standard adds them. */
  const digestBlocks = (bytes, blockBytes, state, compress) => {
    const view = pad(bytes, blockBytes);
    for (let offset = 0; offset < view.byteLength; offset += blockBytes) {
      compress(view, offset).forEach((value, i) => {
        state[i] += value;
      });
    }
    const out = new DataView(new ArrayBuffer(state.byteLength));
    for (const [i, value] of state.entries())
      if (typeof value === 'bigint') out.setBigUint64(8 * i, value);
      else out.setInt32(4 * i, value);
    return new Uint8Array(out.buffer);
  };

  const sha1 = (bytes) => {
    const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
    const w = new Int32Array(80);
    return digestBlocks(bytes, 64, state, (view, offset) => {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + 4 * i);
      for (let i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 31);
      let [a, b, c, d, e] = state;
      for (let i = 0; i < 80; i++) {
        const [f, k] =
          i < 20
            ? [(b & c) | (~b & d), 0x5a827999]
            : i < 40
              ? [b ^ c ^ d, 0x6ed9eba1]
              : i < 60
                ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc]
                : [b ^ c ^ d, 0xca62c1d6];
        [a, b, c, d, e] = [(rotate(a, 27) + f + e + k + w[i]) | 0, a, rotate(b, 2), c, d];
      }
      return [a, b, c, d, e];
    });
  };

  const sha256 = (bytes) => {
    const state = Int32Array.from({ length: 8 }, (_, i) => word(SQUARE_ROOTS, i));
    const k = Int32Array.from({ length: 64 }, (_, i) => word(CUBE_ROOTS, i));
    const w = new Int32Array(64);
    return digestBlocks(bytes, 64, state, (view, offset) => {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(offset + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [x, y] = [w[i - 15], w[i - 2]];
        const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
        const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
        w[i] = w[i - 16] + small0 + w[i - 7] + small1;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
        const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + t1) | 0;
        d = c;
        c = b;
        b = a;
        a = (t1 + t2) | 0;
      }
      return [a, b, c, d, e, f, g, h];
    });
  };

  const sha512 = (bytes, firstRoot, length) => {
    const state = BigUint64Array.from({ length: 8 }, (_, i) => longWord(SQUARE_ROOTS, firstRoot + i));
    const k = Array.from({ length: 80 }, (_, i) => longWord(CUBE_ROOTS, i));
    const w = new Array(80);
    const compress = (view, offset) => {
      for (let i = 0; i < 16; i++) w[i] = view.getBigUint64(offset + 8 * i);
      for (let i = 16; i < 80; i++) {
        const [x, y] = [w[i - 15], w[i - 2]];
        const small0 = rotateLong(x, 1n) ^ rotateLong(x, 8n) ^ (x >> 7n);
        const small1 = rotateLong(y, 19n) ^ rotateLong(y, 61n) ^ (y >> 6n);
        w[i] = mask(w[i - 16] + small0 + w[i - 7] + small1);
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 80; i++) {
        const sum1 = rotateLong(e, 14n) ^ rotateLong(e, 18n) ^ rotateLong(e, 41n);
        const sum0 = rotateLong(a, 28n) ^ rotateLong(a, 34n) ^ rotateLong(a, 39n);
        const t1 = h + sum1 + ((e & f) ^ (mask(~e) & g)) + k[i] + w[i];
        const t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        [a, b, c, d, e, f, g, h] = [mask(t1 + t2), a, b, c, mask(d + t1), e, f, g];
      }
      return [a, b, c, d, e, f, g, h];
    };
    return digestBlocks(bytes, 128, state, compress).slice(0, length);
  };

  const digests = {
    'SHA-1': { blockBytes: 64, digest: sha1 },
    'SHA-256': { blockBytes: 64, digest: sha256 },
    'SHA-384': { blockBytes: 128, digest: (bytes) => sha512(bytes, 8, 48) },
    'SHA-512': { blockBytes: 128, digest: (bytes) => sha512(bytes, 0, 64) },
  };

  const hmac = (name, key, bytes) => {
    const { blockBytes, digest } = digests[name];
    const block = new Uint8Array(blockBytes);
    block.set(key.length > blockBytes ? digest(key) : key);
    const inner = new Uint8Array(blockBytes + bytes.length);
    inner.set(block.map((byte) => byte ^ 0x36));
    inner.set(bytes, blockBytes);
    const hashed = digest(inner);
    const outer = new Uint8Array(blockBytes + hashed.length);
    outer.set(block.map((byte) => byte ^ 0x5c));
    outer.set(hashed, blockBytes);
    return digest(outer);
  };

  return { digests, hmac };
}
