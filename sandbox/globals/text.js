/** `TextEncoder`, `TextDecoder` (UTF-8), `atob` and `btoa`. */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeText() {
  const REPLACEMENT = 0xfffd;
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

  class TextEncoder {
    encoding = 'utf-8';
    encode(text = '') {
      const bytes = [];
      for (const character of `${text}`.toWellFormed()) {
        const code = character.codePointAt(0);
        if (code < 0x80) bytes.push(code);
        else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
        else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
        else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      }
      return Uint8Array.from(bytes);
    }
  }

  /** Decodes one sequence at `start` into its code point and length. Invalid bytes give the replacement character. */
  const sequence = (bytes, start) => {
    const first = bytes[start];
    if (first < 0x80) return [first, 1];
    const length =
      first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (length === 0) return [REPLACEMENT, 1];
    // The second byte may not make the sequence overlong, a surrogate or more than U+10FFFF.
    const [least, most] = { 224: [0xa0, 0xbf], 237: [0x80, 0x9f], 240: [0x90, 0xbf], 244: [0x80, 0x8f] }[first] ?? [
      0x80, 0xbf,
    ];
    let code = first & (0x7f >> length);
    for (let i = 1; i < length; i++) {
      const byte = bytes[start + i];
      if (!(byte >= (i === 1 ? least : 0x80) && byte <= (i === 1 ? most : 0xbf))) return [REPLACEMENT, i];
      code = (code << 6) | (byte & 63);
    }
    return [code, length];
  };

  class TextDecoder {
    encoding = 'utf-8';
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      if (!/^(unicode-1-1-)?utf-?8$/i.test(`${label}`.trim()))
        throw new RangeError(`The encoding ${label} is not supported here.`);
      this.fatal = fatal;
      this.ignoreBOM = ignoreBOM;
    }
    decode(data = new Uint8Array()) {
      const bytes = ArrayBuffer.isView(data)
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(data);
      const hasMark = !this.ignoreBOM && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      let text = '';
      for (let start = hasMark ? 3 : 0; start < bytes.length; ) {
        const [code, length] = sequence(bytes, start);
        const isReplaced = code === REPLACEMENT && !(bytes[start] === 0xef && length === 3);
        if (this.fatal && isReplaced) throw new TypeError('The data is not valid UTF-8.');
        text += String.fromCodePoint(code);
        start += length;
      }
      return text;
    }
  }

  const btoa = (data) => {
    const text = `${data}`;
    let encoded = '';
    for (let i = 0; i < text.length; i += 3) {
      const [a, b, c] = [text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2)];
      if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa accepts only characters up to U+00FF.');
      encoded += ALPHABET[a >> 2] + ALPHABET[((a & 3) << 4) | (b >> 4)];
      encoded += Number.isNaN(b) ? '=' : ALPHABET[((b & 15) << 2) | (c >> 6)];
      encoded += Number.isNaN(c) ? '=' : ALPHABET[c & 63];
    }
    return encoded;
  };

  const atob = (data) => {
    let text = `${data}`.replace(/[\t\n\f\r ]/g, '');
    if (text.length % 4 === 0) text = text.replace(/==?$/, '');
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError('The text is not base64.');
    let decoded = '';
    let bits = 0;
    for (let i = 0; i < text.length; i++) {
      bits = (bits << 6) | ALPHABET.indexOf(text[i]);
      if (i % 4 !== 0) decoded += String.fromCharCode((bits >> (6 - 2 * (i % 4))) & 255);
    }
    return decoded;
  };

  return { TextEncoder, TextDecoder, atob, btoa };
}
