//# pushed arrays
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (;;) all.push(new Array(1000).fill(1)); };

//# forty megabytes of objects
// layer: isolate-memory
// expect: memory timeout killed
// off: ok
const getCustomJwtClaims = () => { const all = []; for (let i = 0; i < 4e5; i++) all.push({ a: i, b: [i], c: `${i}` }); return { n: all.length }; };

//# closures kept in finally
// layer: isolate-memory
// expect: memory timeout
const kept = [];
const grow = () => { const big = new Array(1e4).fill(0); try { kept.push(() => big); } finally { grow2(); } };
const grow2 = () => { try { grow(); } finally { grow(); } };
const getCustomJwtClaims = () => { for (;;) { try { grow(); } catch {} } };

//# doubled string, flattened
// layer: isolate-memory
// expect: memory thrown timeout killed
const getCustomJwtClaims = () => { const all = []; let s = 'x'; for (;;) { s += s; all.push(s.charCodeAt(s.length - 1), s.split('').length); } };

//# array buffers
// layer: isolate-memory
// expect: thrown memory timeout
const getCustomJwtClaims = () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)); };

//# one giant buffer
// layer: isolate-memory
// expect: thrown memory
// unhurried: true
const getCustomJwtClaims = () => ({ n: new ArrayBuffer(8 * 2 ** 30).byteLength });

//# resizable buffer
// layer: isolate-memory
// expect: thrown memory timeout killed ok
const getCustomJwtClaims = () => { const all = []; for (;;) { const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 24); new Uint8Array(b).fill(1); all.push(b); } };

//# Intl collators
// layer: runner-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (;;) all.push(new Intl.Collator('de'), new Intl.NumberFormat('fr'), new Intl.DateTimeFormat('ja')); };

//# Intl segments
// layer: runner-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; const s = new Intl.Segmenter('th', { granularity: 'word' }); const t = 'สวัสดี'.repeat(1e5); for (;;) all.push(s.segment(t)); };

//# symbols of the registry
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { for (let i = 0; ; i++) Symbol.for(`symbol number ${i} ${'x'.repeat(50)}`); };

//# functions made from text
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (let i = 0; ; i++) all.push(new Function(`return ${i} + ${'1+'.repeat(200)}0`)); };

//# regular expressions
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (let i = 0; ; i++) { const r = new RegExp(`a{${i % 900}}b${i}`); r.test('aaab'); all.push(r); } };

//# promises that wait
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = async () => { const all = []; for (;;) all.push((async () => { await new Promise(() => {}); })()); };

//# hidden classes
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (let i = 0; ; i++) { const o = {}; for (let j = 0; j < 20; j++) o[`p${i}_${j}`] = j; all.push(o); } };

//# deep prototype chains
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { let o = {}; for (;;) o = Object.create(o, { a: { value: o } }); };

//# typed array views
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const b = new ArrayBuffer(64); const all = []; for (;;) all.push(new Uint8Array(b), new DataView(b)); };

//# generators that wait
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { const all = []; for (;;) { const g = (function* () { const x = new Array(100); yield x; })(); g.next(); all.push(g); } };

//# structured clones
// layer: isolate-memory
// expect: memory timeout killed
const getCustomJwtClaims = () => { let o = { a: 1 }; for (;;) o = { a: structuredClone(o), b: structuredClone(o) }; };
