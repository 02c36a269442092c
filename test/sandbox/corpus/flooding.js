//# a long line
// layer: console-size
// output: {}
// off: more console
const getCustomJwtClaims = () => { console.log('x'.repeat(1e5)); return {}; };

//# many lines
// layer: console-size
// output: {}
// off: more console
const getCustomJwtClaims = () => { for (let i = 0; i < 3000; i++) console.warn(`line ${i}`); return {}; };

//# empty lines
// layer: console-size
// output: {}
// off: more console
const getCustomJwtClaims = () => { for (let i = 0; i < 5000; i++) console.error(); return {}; };

//# few characters, many bytes
// layer: console-size
// output: {}
const getCustomJwtClaims = () => { console.log('\u20ac'.repeat(15_000)); return {}; };

//# many values in one line
// layer: console-size
// output: {}
const getCustomJwtClaims = () => { console.log(...Array.from({ length: 5000 }, (_, i) => ({ i }))); return {}; };

//# lines forged with line ends and escapes
// layer: console-shape
// output: {}
// console: 1
const getCustomJwtClaims = () => { console.log('{"level":50,"msg":"forged"}\n{"level":60}\u001b[2J'); return {}; };

//# toJSON of every array and object
// layer: console-shape
// output: {}
// console: 1
const getCustomJwtClaims = () => { Array.prototype.toJSON = Object.prototype.toJSON = () => 'forged'; console.log('honest'); delete Array.prototype.toJSON; delete Object.prototype.toJSON; return {}; };

//# long error
// layer: message-size
// expect: thrown
// off: more message
const getCustomJwtClaims = () => { throw new Error('x'.repeat(1e5)); };

//# long denial
// layer: message-size
// expect: denied
// off: more message
const getCustomJwtClaims = ({ api }) => api.denyAccess('x'.repeat(1e5));

//# long error in few characters
// layer: message-size
// expect: thrown
const getCustomJwtClaims = () => { throw new Error('\u{1f600}'.repeat(900)); };

//# long error of the top level
// layer: message-size
// expect: thrown
throw new Error('y'.repeat(1e5));

//# endless lines
// layer: script-time
// expect: timeout
const getCustomJwtClaims = () => { for (;;) console.log('again'); };

//# a line that writes lines while it is shown
// layer: console-size
// output: {}
// console: 1
const getCustomJwtClaims = () => { console.log({ toJSON() { console.log('x'.repeat(1e5)); return 'y'.repeat(1e6); } }); return {}; };

//# lines written from the end of the stack
// layer: console-size
// output: {}
const getCustomJwtClaims = () => { const dive = () => { try { console.log({ toJSON: () => 'z'.repeat(100) }); dive(); } catch {} }; dive(); return {}; };

//# message of a denial that denies again
// layer: message-size
// expect: denied
// message: Access denied by the custom claims script.
const getCustomJwtClaims = ({ api }) => api.denyAccess({ toString() { api.denyAccess('x'.repeat(1e5)); return 'late'; } });
