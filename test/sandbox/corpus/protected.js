//# own property named __proto__
// layer: result-parse
// output: {"a":1}
const getCustomJwtClaims = () => JSON.parse('{"__proto__":{"act":{"sub":"me"}},"a":1}');

//# __proto__ deep inside
// layer: result-parse
// output: {"a":{"b":{}}}
const getCustomJwtClaims = () => ({ a: { b: JSON.parse('{"__proto__":{"polluted":true}}') } });

//# __proto__ written with escapes
// layer: result-parse
// output: {"a":1}
const getCustomJwtClaims = () => ({ ['\u005f_proto__']: { polluted: true }, a: 1 });

//# inherited claims
// layer: result-parse
// output: {"own":1}
const getCustomJwtClaims = () => Object.assign(Object.create({ act: { sub: 'me' } }), { own: 1 });

//# toJSON on Object.prototype
// layer: result-parse
// output: {"shaped":true}
Object.prototype.toJSON = function () { return { shaped: true, __proto__: null }; };
const getCustomJwtClaims = () => { delete Object.prototype.toString; return { a: 1 }; };

//# constructor and prototype as claims
// layer: result-parse
// output: {"constructor":{"prototype":{"polluted":1}}}
const getCustomJwtClaims = () => ({ constructor: { prototype: { polluted: 1 } } });

//# duplicate keys by a proxy
// layer: result-parse
// output: {"a":2}
const getCustomJwtClaims = () => new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => (k === 'a' ? 2 : undefined) });

//# result swapped after it was read
// layer: result-parse
// output: {"a":1}
const getCustomJwtClaims = () => { const r = { a: 1 }; Promise.resolve().then(() => Promise.resolve().then(() => Promise.resolve().then(() => { r.act = { sub: 'me' }; }))); return r; };
