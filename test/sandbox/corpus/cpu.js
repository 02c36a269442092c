//# empty loop
// layer: script-time
// expect: timeout
// off: runs on
const getCustomJwtClaims = () => { for (;;); };

//# loop at the top level
// layer: script-time
// expect: timeout
for (;;);

//# microtask loop
// layer: script-time
// expect: timeout memory
const getCustomJwtClaims = () => { const again = () => Promise.resolve().then(again); return again(); };

//# await loop
// layer: script-time
// expect: timeout
const getCustomJwtClaims = async () => { for (;;) await null; };

//# finally swallows the end
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { for (;;) { try { for (;;); } finally { continue; } } };

//# backtracking regular expression
// layer: script-time
// expect: timeout
// off: runs on
const getCustomJwtClaims = () => ({ m: /^(a+)+$/.test('a'.repeat(60) + '!') });

//# getter of the result
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => ({ get a() { for (;;); } });

//# toJSON of the result
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => ({ toJSON() { for (;;); } });

//# then of the result
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => ({ then() { for (;;); } });

//# ownKeys of a proxy
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => new Proxy({}, { ownKeys() { for (;;); } });

//# message of an error
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { throw { get message() { for (;;); } }; };

//# stack of an error
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { const e = new Error(); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e; };

//# prepareStackTrace
// layer: script-time
// expect: timeout
Error.prepareStackTrace = () => { for (;;); };
const getCustomJwtClaims = () => { throw new Error('x'); };

//# conversion of a denial
// layer: script-time
// expect: denied timeout
const getCustomJwtClaims = ({ api }) => api.denyAccess({ toString() { for (;;); } });

//# conversion of a console line
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { console.log({ toJSON() { for (;;); } }); return {}; };

//# microtasks left behind after the answer
// layer: script-time
// expect: timeout memory
const getCustomJwtClaims = () => { (async () => { for (;;) await null; })(); return { a: 1 }; };

//# exponential recursion
// layer: script-time
// expect: timeout
const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2));
const getCustomJwtClaims = () => ({ f: f(60) });

//# mutual generators
// layer: script-time
// expect: timeout
function* a() { for (;;) yield* b(); }
function* b() { yield 1; }
const getCustomJwtClaims = () => { for (const _ of a()); };

//# sort with a comparison that never agrees
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { for (;;) Array.from({ length: 500 }, Math.random).sort(() => Math.random() - 0.5); };

//# spread of an endless iterator
// layer: script-time
// expect: timeout memory
const getCustomJwtClaims = () => ({ all: Math.max(...{ [Symbol.iterator]: () => ({ next: () => ({ value: undefined, done: false }) }) }) });

//# hash without end
// layer: script-time
// expect: timeout
const getCustomJwtClaims = async () => { for (;;) await crypto.subtle.digest('SHA-512', new Uint8Array(4096)); };

//# addresses without end
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { for (let i = 0; ; i++) new URL(`https://h/${i}?${'a'.repeat(500)}`); };
