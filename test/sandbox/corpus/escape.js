//# free host names
// layer: isolate
// output: {"found":[]}
const getCustomJwtClaims = () => ({ found: ['process', 'require', 'module', 'Buffer', 'global', 'fetch', 'setTimeout', 'setImmediate', 'queueMicrotask', '__dirname', 'ivm', 'callGetCustomJwtClaims', 'prelude', 'makeCrypto'].filter((n) => { try { return (0, eval)(`typeof ${n}`) !== 'undefined'; } catch { return true; } }) });

//# constructor of every argument
// layer: isolate
// output: {"escaped":false}
const getCustomJwtClaims = (input) => ({ escaped: [input, input.token, input.context, input.api, input.api.denyAccess].some((v) => v.constructor.constructor('return typeof process')() !== 'undefined') });

//# function constructor of the console
// layer: isolate
// output: {"escaped":false}
const getCustomJwtClaims = () => ({ escaped: console.log.constructor('return this')() !== globalThis });

//# prepareStackTrace and call sites
// layer: strict prelude
// output: {"frames":true,"reached":0}
let sites = [];
Error.prepareStackTrace = (_, s) => { sites.push(...s); return ''; };
const getCustomJwtClaims = () => {
  console.log({ toJSON() { return new Error('x').stack; } });
  const frames = sites.filter((s) => String(s.getFileName()).includes('prelude'));
  return { frames: frames.length > 0, reached: frames.filter((s) => s.getFunction() || s.getThis()).length };
};

//# caller and arguments of the prelude
// layer: strict prelude
// output: {"caller":false}
function getCustomJwtClaims() { let caller = false; try { caller = Boolean(getCustomJwtClaims.caller); } catch {} return { caller }; }

//# arguments of the caller
// layer: strict prelude
// output: {"found":false}
function getCustomJwtClaims() { let found = false; try { found = Boolean(getCustomJwtClaims.arguments.callee.caller); } catch {} return { found }; }

//# species of a promise
// layer: isolate
// output: {"escaped":false}
let seen;
const getCustomJwtClaims = () => {
  class P extends Promise { static get [Symbol.species]() { return function (run) { seen = run; return new Promise(run); }; } }
  P.resolve(1).then(() => {});
  return { escaped: seen?.constructor('return typeof process')() === 'object' };
};

//# thenable keeps the resolver
// layer: isolate
// output: {"escaped":false}
const getCustomJwtClaims = () => ({ then(resolve) { resolve({ escaped: resolve.constructor('return typeof process')() !== 'undefined' }); } });

//# dynamic import of a Node module
// layer: isolate
// expect: thrown
const getCustomJwtClaims = async () => ({ fs: typeof (await import('node:fs')) });

//# dynamic import of a data address
// layer: isolate
// expect: thrown
const getCustomJwtClaims = async () => ({ value: (await import('data:text/javascript,export default 1')).default });

//# import.meta in a classic script
// layer: isolate
// expect: thrown
const getCustomJwtClaims = () => eval('import.meta');

//# import statement
// layer: isolate
// expect: thrown
import fs from 'node:fs';
const getCustomJwtClaims = () => ({ fs });

//# source that closes its wrapper
// layer: isolate
// expect: thrown
})(); globalThis.escaped = true; (() => {
const getCustomJwtClaims = () => ({});

//# html comment and separators
// layer: isolate
// output: {"a":1}
<!-- not a comment of ours
const getCustomJwtClaims = () => ({ a: 1 })
--> nor this

//# proxy around the global object's prototype
// layer: isolate
// output: {"names":[]}
const names = [];
Object.setPrototypeOf(globalThis, new Proxy({}, { get(_, n) { return undefined; }, has(_, n) { if (/process|require|ivm/.test(String(n))) names.push(String(n)); return false; } }));
const getCustomJwtClaims = () => ({ names });

//# patched JSON
// layer: captured intrinsics
// output: {"honest":1}
JSON.parse = () => ({ token: 'forged' });
JSON.stringify = () => '{"forged":1}';
const getCustomJwtClaims = ({ token }) => ({ honest: token === 'forged' ? 0 : 1 });

//# patched promise machinery
// layer: captured intrinsics
// output: {"a":1}
Promise.prototype.then = () => { throw new Error('patched'); };
Promise.resolve = () => { throw new Error('patched'); };
const getCustomJwtClaims = async () => ({ a: 1 });

//# patched Reflect and Function
// layer: captured intrinsics
// output: {"a":1}
Reflect.apply = Function.prototype.call = Function.prototype.apply = () => { throw new Error('patched'); };
const getCustomJwtClaims = () => { console.log('still here'); return { a: 1 }; };

//# patched string and regular expression methods
// layer: captured intrinsics
// expect: thrown
String.prototype.slice = RegExp.prototype.exec = () => { for (;;); };
const getCustomJwtClaims = () => { throw new Error('x'); };

//# setters on Object.prototype
// layer: isolate
// output: {"caught":false}
let caught = false;
for (const n of ['api', 'get', 'value', 'fetch', 'request', 'state', 'level']) Object.defineProperty(Object.prototype, n, { __proto__: null, set(v) { if (typeof v === 'function' && v.constructor('return typeof process')() !== 'undefined') caught = true; }, configurable: true });
const getCustomJwtClaims = () => ({ caught });

//# getters for host symbols
// layer: isolate
// output: {"asked":0}
let asked = 0;
const getCustomJwtClaims = () => { const v = { get [Symbol.for('nodejs.util.inspect.custom')]() { asked++; return () => 'x'; } }; console.log(v); return { asked }; };

//# error with a hostile constructor
// layer: isolate
// expect: thrown
const getCustomJwtClaims = () => { const e = new Error('x'); e.constructor = { constructor: () => { for (;;); } }; throw e; };

//# async generator return
// layer: isolate
// output: {"escaped":false}
const getCustomJwtClaims = async () => { const g = (async function* () { yield 1; })(); await g.return({ get then() { return undefined; } }); return { escaped: Object.getPrototypeOf(Math.max).constructor('return typeof process')() !== 'undefined' }; };

//# WebAssembly
// layer: jitless and prelude
// output: {"type":"undefined"}
const getCustomJwtClaims = () => ({ type: typeof WebAssembly });

//# shared memory by its constructors
// layer: prelude
// output: {"types":["undefined","undefined","undefined","undefined"]}
const getCustomJwtClaims = () => ({ types: [typeof SharedArrayBuffer, typeof Atomics, typeof FinalizationRegistry, typeof WeakRef] });

//# shared memory by another realm
// layer: isolate
// output: {"realm":false}
const getCustomJwtClaims = () => ({ realm: typeof ShadowRealm !== 'undefined' || typeof document !== 'undefined' || typeof Worker !== 'undefined' });

//# completion value is a function
// layer: strings only
// output: {"a":1}
const getCustomJwtClaims = () => ({ a: 1 });
(function reachable() { return this; });

//# completion value is a promise that rejects
// layer: wall-deadline
// expect: killed
const getCustomJwtClaims = () => ({ a: 1 });
Promise.reject({ get message() { for (;;); } });

//# result whose toJSON is a host-shaped object
// layer: strings only
// output: {"ref":"[object Reference]"}
const getCustomJwtClaims = () => ({ ref: { toJSON: () => '[object Reference]', applySync() {} } });

//# web globals lead only to this realm
// layer: isolate
// output: {"escaped":[]}
const getCustomJwtClaims = () => ({ escaped: ['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'structuredClone'].filter((n) => globalThis[n].constructor('return this')() !== globalThis) });

//# web crypto leads only to this realm
// layer: isolate
// output: {"escaped":false}
const getCustomJwtClaims = async () => { const d = await crypto.subtle.digest('SHA-256', new Uint8Array(1)); return { escaped: !(d instanceof ArrayBuffer) || (await crypto.subtle.digest.constructor('return this')()) !== globalThis }; };

//# replaced web global intrinsics
// layer: isolate
// expect: thrown
Uint8Array.from = () => { throw new Error('mine'); };
const getCustomJwtClaims = () => ({ id: crypto.randomUUID() });

//# descriptor fields on Object.prototype
// layer: isolate
// expect: thrown ok
Object.prototype.get = function () { return globalThis; };
const getCustomJwtClaims = () => ({ type: typeof URL });

//# proxy as the global function
// layer: isolate
// output: {"seen":["apply"]}
const seen = [];
var getCustomJwtClaims = new Proxy(() => ({ seen }), { apply(target, self, given) { seen.push('apply'); if (self !== undefined && self !== globalThis) seen.push('host'); return Reflect.apply(target, self, given); }, get(target, name) { seen.push(String(name)); return target[name]; } });

//# thenable that settles twice
// layer: isolate
// output: {"first":1}
const getCustomJwtClaims = () => ({ then(resolve, reject) { resolve({ first: 1 }); resolve({ second: 1 }); reject(new Error('third')); } });

//# hasInstance of the errors that the console asks for
// layer: captured intrinsics
// output: {"a":1}
Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw new Error('mine'); } });
const getCustomJwtClaims = () => { console.log({ b: 1 }); return { a: 1 }; };

//# stack of an error that is no text
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => { const e = new Error('x'); e.stack = { toString: () => 'claims.js:1:1', [Symbol.toPrimitive]: () => { for (;;); } }; throw e; };

//# stack that names a place a thousand times
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => { const e = new Error('x'); e.stack = 'claims.js:' + '1'.repeat(1e5) + ':'; throw e; };

//# name and message that are objects
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => { throw { name: Object.create(null), message: { toString: null, valueOf: null }, stack: 1 }; };

//# api replaced by a setter
// layer: isolate
// expect: thrown
Object.defineProperty(Object.prototype, 'api', { set(v) { this.own = v.denyAccess.constructor('return typeof process')(); }, configurable: true });
const getCustomJwtClaims = ({ api, own }) => { if (own === 'undefined' && api === undefined) throw new Error('nothing reached'); return { own }; };

//# promise constructor of the run's own promise
// layer: captured intrinsics
// output: {"a":1}
Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('mine'); } });
const getCustomJwtClaims = () => ({ a: 1 });
