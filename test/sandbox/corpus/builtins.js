//# indexOf over an array-like of 2^53
// layer: wall-deadline
// expect: killed
// off: runs on
const getCustomJwtClaims = () => ({ i: Array.prototype.indexOf.call({ length: 2 ** 53 }, 1) });

//# Array.from of a length
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: Array.from({ length: 1e9 }).length });

//# filled array of doubles
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: new Array(2 ** 27).fill(1.5).length });

//# lastIndexOf, quadratic
// layer: wall-deadline
// expect: killed
// off: runs on
const getCustomJwtClaims = () => ({ i: 'a'.repeat(2 ** 22).lastIndexOf(`${'a'.repeat(2 ** 21)}b`) });

//# BigInt squaring
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => { let n = 3n; for (;;) n *= n; };

//# BigInt from text
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: String(BigInt('9'.repeat(3e7)) % 7n) });

//# BigInt to text
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: (7n ** 30_000_000n).toString().length });

//# split of a long string
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: 'a,'.repeat(1e8).split(',').length });

//# match of a long string
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: 'a'.repeat(1e8).match(/a/g).length });

//# flattened rope
// layer: wall-deadline
// expect: killed memory timeout
const getCustomJwtClaims = () => ({ n: 'a'.repeat(2 ** 28).toUpperCase().length });

//# JSON.parse, deep, again and again
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { const t = '['.repeat(5e5) + ']'.repeat(5e5); for (;;) { try { JSON.parse(t); } catch {} } };

//# join of an empty array with a length
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => ({ n: Array(2 ** 29).join('ab').length });

//# reverse of an array-like
// layer: wall-deadline
// expect: killed
const getCustomJwtClaims = () => { Array.prototype.reverse.call({ length: 2 ** 53 - 1 }); return {}; };

//# unshift of an array-like
// layer: wall-deadline
// expect: killed
const getCustomJwtClaims = () => { Array.prototype.includes.call({ length: 2 ** 52 }, NaN); return {}; };

//# typed array sort
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { const a = new Float64Array(1e6); for (;;) a.map(Math.random).sort(); };

//# normalize
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { for (;;) '\u0344'.repeat(5e6).normalize('NFD'); };

//# localeCompare
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { const s = '\u00e9\u0301'.repeat(1e7); for (;;) s.localeCompare(`${s}x`); };

//# toLocaleString of a long array
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => ({ n: new Array(1e7).fill(1).toLocaleString().length });

//# replaceAll that multiplies
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { let s = 'aa'; for (;;) s = s.replaceAll('a', 'aaaa'); };

//# regular expression compiled from a giant source
// layer: wall-deadline
// expect: killed memory timeout thrown
const getCustomJwtClaims = () => { for (;;) { try { new RegExp(`(?:${'a{1,1000}'.repeat(1e4)}){1,1000}`).test('a'); } catch {} } };

//# copyWithin over a huge array-like
// layer: wall-deadline
// expect: killed
const getCustomJwtClaims = () => { Array.prototype.copyWithin.call({ length: 2 ** 50 }, 0, 1); return {}; };

//# getter loop while the error of the top level is copied out
// layer: wall-deadline
// expect: killed
// off: runs on
const e = new Error('x');
Object.defineProperty(e, 'message', { get() { for (;;); } });
throw e;
