/** `structuredClone` for those cloneable types that exist in a script. */
// biome-ignore lint/correctness/noUnusedVariables: called by prelude.js, with which it is composed
function makeStructuredClone() {
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

  const clone = (value, seen) => {
    if (typeof value === 'symbol' || typeof value === 'function')
      throw new TypeError(`A ${typeof value} cannot be cloned.`);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };

    if (ArrayBuffer.isView(value)) {
      const buffer = clone(value.buffer, seen);
      return keep(new value.constructor(buffer, value.byteOffset, value.length ?? value.byteLength));
    }
    switch (tagOf(value)) {
      case 'ArrayBuffer':
        return keep(value.slice(0));
      case 'Boolean':
      case 'Number':
      case 'String':
      case 'BigInt':
        return keep(Object(value.valueOf()));
      case 'Date':
        return keep(new Date(value.getTime()));
      case 'RegExp':
        return keep(new RegExp(value.source, value.flags));
      case 'Map': {
        const copy = keep(new Map());
        for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
        return copy;
      }
      case 'Set': {
        const copy = keep(new Set());
        for (const item of [...value]) copy.add(clone(item, seen));
        return copy;
      }
      case 'Error': {
        const copy = keep(new (ERRORS[value.name] ?? Error)(value.message));
        if (Object.hasOwn(value, 'cause')) copy.cause = clone(value.cause, seen);
        return copy;
      }
      case 'WeakMap':
      case 'WeakSet':
      case 'Promise':
        throw new TypeError(`A ${tagOf(value)} cannot be cloned.`);
      default: {
        const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
        for (const key of Object.keys(value)) {
          const item = clone(value[key], seen);
          Object.defineProperty(copy, key, { value: item, writable: true, enumerable: true, configurable: true });
        }
        return copy;
      }
    }
  };

  return (value) => clone(value, new Map());
}
