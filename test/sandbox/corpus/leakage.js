//# global variable
// layer: fresh-context
// runs: 2
// output: {"seen":false}
const getCustomJwtClaims = () => { const seen = 'left' in globalThis; globalThis.left = 1; return { seen }; };

//# top-level binding
// layer: fresh-context
// runs: 2
// output: {"count":1}
let count = 0;
const getCustomJwtClaims = () => ({ count: ++count });

//# changed prototype
// layer: fresh-context
// runs: 2
// output: {"seen":false}
const getCustomJwtClaims = () => { const seen = 'left' in {}; Object.prototype.left = 1; return { seen }; };

//# statics of RegExp
// layer: fresh-context
// runs: 2
// output: {"seen":""}
const getCustomJwtClaims = () => { const seen = RegExp.$1; /(secret)/.test('secret'); return { seen }; };

//# cached template object
// layer: fresh-context
// runs: 2
// output: {"seen":false}
const cache = new WeakMap();
const tag = (strings) => { const seen = cache.has(strings); cache.set(strings, 1); return seen; };
const getCustomJwtClaims = () => ({ seen: tag`x` });

//# replaced web global
// layer: fresh-context
// runs: 2
// output: {"seen":false}
const getCustomJwtClaims = () => { const seen = URL.left === 1; URL.left = 1; return { seen }; };

//# microtask of the run before
// layer: fresh-context
// runs: 2
// output: {"seen":false}
const getCustomJwtClaims = () => { const seen = globalThis.late === 1; Promise.resolve().then(() => { globalThis.late = 1; }); return { seen }; };

//# console lines of the run before
// layer: fresh-context
// runs: 2
// console: 1
const getCustomJwtClaims = () => { console.log('one line'); return {}; };

//# denial of the run before
// layer: fresh-context
// runs: 2
// expect: denied
// message: once
const getCustomJwtClaims = ({ api }) => api.denyAccess('once');

//# random values differ
// layer: seed-per-run
// runs: 2
// differs: true
const getCustomJwtClaims = () => ({ id: crypto.randomUUID() });

//# stack of the run before
// layer: fresh-context
// runs: 2
// output: {"limit":10}
const getCustomJwtClaims = () => { const limit = Error.stackTraceLimit; Error.stackTraceLimit = 50; return { limit }; };

//# global of another tenant
// layer: isolate-per-tenant
// tenants: 2
// output: {"seen":false}
const getCustomJwtClaims = () => { const seen = 'left' in globalThis; globalThis.left = 1; return { seen }; };

//# registered symbol of another tenant
// layer: isolate-per-tenant
// tenants: 2
// output: {"same":false}
const getCustomJwtClaims = () => { const s = Symbol.for('covert'); const same = Object.getOwnPropertySymbols(Object.prototype).includes(s); Object.prototype[s] = 1; return { same }; };

//# patched intrinsics of another tenant
// layer: isolate-per-tenant
// tenants: 2
// output: {"patched":false}
const getCustomJwtClaims = () => { const patched = Array.prototype.map.name !== 'map'; Array.prototype.map = function evil() {}; return { patched }; };

//# heap of another tenant, after its death
// layer: isolate-per-tenant
// tenants: 2
// expect: thrown memory timeout
const getCustomJwtClaims = () => { const all = []; for (;;) { const b = new Uint8Array(4096); if (b.some(Boolean)) return { leaked: true }; all.push(b.fill(7)); } };

//# a clock finer than a millisecond
// layer: prelude
// output: {"clocks":[]}
const getCustomJwtClaims = () => ({
  clocks: Object.entries({
    performance: () => performance.now() % 1,
    date: () => Date.now() % 1,
    instant: () => Temporal.Now.instant().epochNanoseconds % 1000000n,
    dateTime: () => Temporal.Now.plainTimeISO().microsecond,
  })
    .filter(([, fraction]) => { try { return [...Array(50)].some(() => Boolean(fraction())); } catch { return false; } })
    .map(([name]) => name),
});

//# random values of the top level differ
// layer: seed-per-run
// runs: 2
// differs: true
const id = crypto.randomUUID();
const getCustomJwtClaims = () => ({ id });

//# random values of another tenant differ
// layer: seed-per-run
// tenants: 2
// differs: true
const { randomUUID } = crypto;
const getCustomJwtClaims = (_, id = randomUUID()) => ({ id });

//# seed read through patched built-ins is of this run only
// layer: seed-per-run
// runs: 2
// output: {"seeds":1}
const seeds = new Set();
const slice = String.prototype.slice;
String.prototype.slice = function (...at) { if (this.length === 64) seeds.add(String(this)); return slice.apply(this, at); };
crypto.randomUUID();
const getCustomJwtClaims = () => ({ seeds: seeds.size });
