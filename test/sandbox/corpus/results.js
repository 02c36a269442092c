//# undefined
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => {};

//# null
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => null;

//# array
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => [{ a: 1 }];

//# string that looks like an object
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => '{"a":1}';

//# boxed string through toJSON
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => ({ toJSON: () => '{"a":1}' });

//# function
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => () => ({ a: 1 });

//# symbol
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => Symbol('a');

//# date
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => new Date(0);

//# BigInt inside
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => ({ a: 1n });

//# circle
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => { const o = {}; o.o = o; return o; };

//# deep nesting
// layer: result-shape
// expect: invalid-result thrown too-large
const getCustomJwtClaims = () => { let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o; };

//# toJSON that throws
// layer: result-shape
// expect: invalid-result
const getCustomJwtClaims = () => ({ toJSON() { throw new Error('no'); } });

//# promise that never settles
// layer: pending-check
// expect: invalid-result
const getCustomJwtClaims = () => new Promise(() => {});

//# thenable that never calls back
// layer: pending-check
// expect: invalid-result
const getCustomJwtClaims = () => ({ then() {} });

//# await of a promise nobody settles
// layer: pending-check
// expect: invalid-result
const getCustomJwtClaims = async () => { await new Promise(() => {}); return {}; };

//# rejected with nothing
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => Promise.reject();

//# thrown object without a prototype
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => { throw Object.create(null, { message: { value: 1 } }); };

//# thrown symbol
// layer: error-text
// expect: thrown
const getCustomJwtClaims = () => { throw Symbol('s'); };

//# orphan rejection beside a good result
// layer: outcome-by-state
// output: {"a":1}
const getCustomJwtClaims = () => { Promise.reject(new Error('orphan')); return { a: 1 }; };

//# an error that claims to be the timeout
// layer: outcome-by-state
// expect: thrown
const getCustomJwtClaims = () => { throw new Error('Script execution timed out.'); };

//# a top level that claims to be the timeout
// layer: outcome-by-state
// expect: thrown
throw new Error('Script execution timed out.');

//# no function
// layer: definition-check
// expect: thrown
const getCustomJwtClaim = () => ({});

//# function in its dead zone
// layer: definition-check
// expect: thrown
throw new Error('before');
const getCustomJwtClaims = () => ({});

//# getter in place of the function
// layer: script-time
// expect: timeout
Object.defineProperty(globalThis, 'getCustomJwtClaims', { get() { for (;;); } });

//# seventy kilobytes
// layer: result-size
// expect: too-large
// off: ok
const getCustomJwtClaims = () => ({ a: 'x'.repeat(70_000) });

//# few characters, many bytes
// layer: result-size
// expect: too-large
// off: ok
const getCustomJwtClaims = () => ({ a: '\u20ac'.repeat(30_000) });

//# small value, large JSON
// layer: result-size
// expect: too-large
// off: ok
const getCustomJwtClaims = () => ({ a: '\u0000'.repeat(20_000) });

//# denial that is caught
// layer: sticky-denial
// expect: denied
const getCustomJwtClaims = ({ api }) => { try { api.denyAccess('no'); } catch {} return { a: 1 }; };

//# denial before a loop
// layer: sticky-denial
// expect: denied
const getCustomJwtClaims = ({ api }) => { try { api.denyAccess('no'); } catch {} for (;;); };

//# denial after the answer
// layer: sticky-denial
// expect: denied
const getCustomJwtClaims = ({ api }) => { Promise.resolve().then(() => Promise.resolve().then(() => api.denyAccess('late'))).catch(() => {}); return { a: 1 }; };

//# denial with a message that throws
// layer: sticky-denial
// expect: denied
const getCustomJwtClaims = ({ api }) => { try { api.denyAccess({ toString() { throw 1; } }); } catch {} return { a: 1 }; };

//# denial undone by a second one
// layer: sticky-denial
// expect: denied
// message: first
const getCustomJwtClaims = ({ api }) => { for (const m of ['first', 'second']) { try { api.denyAccess(m); } catch {} } return {}; };

//# key of a hundred thousand characters
// layer: result-size
// expect: too-large
const getCustomJwtClaims = () => ({ ['k'.repeat(1e5)]: 1 });

//# ten thousand keys
// layer: result-size
// expect: too-large
const getCustomJwtClaims = () => Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`k${i}`, 1]));

//# typed array as the result
// layer: result-size
// expect: too-large ok
const getCustomJwtClaims = () => new Uint8Array(1e4);

//# lone surrogates
// layer: result-parse
// output: {"a":"\ud800"}
const getCustomJwtClaims = () => ({ a: '\ud800' });

//# a proxy whose keys do not end
// layer: script-time
// expect: timeout memory killed thrown invalid-result
const getCustomJwtClaims = () => new Proxy({}, { ownKeys: () => ({ length: 2 ** 32 - 1, get 0() { for (;;); } }) });
