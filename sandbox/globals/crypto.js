/**
 * The parts of Web Crypto that need no key store: random values, digests and HMAC.
 *
 * @param {string | undefined} seed 64 hexadecimal digits from the operating system's generator, different for each run
 * @throws without a seed, because values that only look random are worse than none
 */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeCrypto(seed) {
  if (seed?.length !== 64) throw new Error('The random generator has no seed.');
  const { digests, hmac } = makeHash();
  /** Returns the name of an algorithm if it is one of these. */
  const nameIn = (supported, algorithm) => {
    const given = typeof algorithm === 'string' ? algorithm : algorithm?.name;
    const name = `${given}`.toUpperCase();
    if (!Object.hasOwn(supported, name)) throw new Error(`The algorithm ${given} is not supported here.`);
    return name;
  };
  const hashOf = (algorithm) => nameIn(digests, algorithm);
  const requireHmac = (algorithm) => nameIn({ HMAC: hmac }, algorithm);
  const bytesOf = (data) => {
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    if (data instanceof ArrayBuffer) return new Uint8Array(data.slice(0));
    throw new TypeError('The data must be an ArrayBuffer or a view of one.');
  };

  /** Yields random blocks: SHA-256 over the seed and a counter. */
  let counter = 0;
  const input = Uint8Array.from({ length: 36 }, (_, i) => Number.parseInt(seed.slice(2 * i, 2 * i + 2) || '0', 16));
  const fill = (bytes) => {
    for (let offset = 0; offset < bytes.length; offset += 32) {
      new DataView(input.buffer).setUint32(32, counter++);
      bytes.set(digests['SHA-256'].digest(input).subarray(0, bytes.length - offset), offset);
    }
    return bytes;
  };

  class CryptoKey {
    #secret;
    constructor(secret, hash, usages) {
      this.#secret = secret;
      this.type = 'secret';
      this.extractable = false;
      this.algorithm = { name: 'HMAC', hash: { name: hash }, length: secret.length * 8 };
      this.usages = usages;
    }
    static mac(key, usage, data) {
      if (!key.usages.includes(usage)) throw new Error(`The key is not for ${usage}.`);
      return hmac(key.algorithm.hash.name, key.#secret, bytesOf(data));
    }
  }

  const subtle = {
    async digest(algorithm, data) {
      return digests[hashOf(algorithm)].digest(bytesOf(data)).buffer;
    },
    async importKey(format, secret, algorithm, _extractable, usages) {
      if (format !== 'raw') throw new Error(`The key format ${format} is not supported here.`);
      requireHmac(algorithm);
      return new CryptoKey(bytesOf(secret), hashOf(algorithm.hash), [...usages]);
    },
    async sign(algorithm, key, data) {
      requireHmac(algorithm);
      return CryptoKey.mac(key, 'sign', data).buffer;
    },
    async verify(algorithm, key, signature, data) {
      requireHmac(algorithm);
      const expected = CryptoKey.mac(key, 'verify', data);
      const given = bytesOf(signature);
      let difference = expected.length ^ given.length;
      for (let i = 0; i < expected.length; i++) difference |= expected[i] ^ given[i];
      return difference === 0;
    },
  };

  return {
    subtle,
    getRandomValues(array) {
      if (!/^(?:Big)?(?:Ui|I)nt/.test(Object.prototype.toString.call(array).slice(8, -1)))
        throw new TypeError('Random values can fill a typed array of integers only.');
      if (array.byteLength > 65536) throw new Error('At most 65536 random bytes can be requested at once.');
      fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = fill(new Uint8Array(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
