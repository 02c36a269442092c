//# split of 2^28 characters into letters
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: 'x'.repeat(2 ** 28).split('').length });

//# map to its last entry
// layer: process-border
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { const m = new Map(); for (let i = 0; i < 2 ** 25; i++) m.set(i, i); return { n: m.size }; };

//# array filled backwards
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => { const a = new Array(1e8); for (let i = a.length; i-- > 0; ) a[i] = i; return { n: a.length }; };

//# growing WeakMap
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => { const m = new WeakMap(); const keys = []; for (;;) { const k = {}; keys.push(k); m.set(k, new Array(100)); } };

//# spread of a long string
// layer: process-border
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => ({ n: [...'x'.repeat(5e8)].length });

//# dense array of 2^27
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => { const a = []; for (let i = 0; i < 2 ** 27; i++) a[i] = 0.5; return { n: a.length }; };

//# nested concatenation of arrays
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => { let a = [1]; for (;;) a = a.concat(a); };

//# keys of a giant object
// layer: process-border
// expect: killed memory timeout
const getCustomJwtClaims = () => { const o = {}; for (let i = 0; i < 3e7; i++) o[`k${i}`] = 1; return { n: Object.keys(o).length }; };

//# set operations that double
// layer: process-border
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { let s = new Set([0]); for (let n = 1; ; n *= 2) s = s.union(new Set(Array.from({ length: n }, (_, i) => n + i))); };

//# flat of a deep array
// layer: process-border
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { let a = []; for (let i = 0; i < 2e5; i++) a = [a]; return { n: a.flat(Infinity).length }; };
