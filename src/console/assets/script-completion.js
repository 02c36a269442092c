/** Completes the parameters of a claims script from the type declaration for script authors. */

const ARRAY = 'at every filter find flatMap includes join length map reduce slice some sort'.split(' ');
const GLOBALS = ['console', 'crypto', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa'];

const DESTRUCTURED = /(?:const|let)\s*\{([^{}]*)\}\s*=\s*([\w$.?]+)/g;
const NAMED = /(?:const|let)\s+([\w$]+)\s*=\s*([\w$]+(?:\??\.[\w$]+)*)\s*;/g;

const bare = (type) => type.replaceAll(/(?<!\s)\s*\|\s*(?:null|undefined)/g, '');

/** Returns the members of a type. */
function membersOf(types, type) {
  if (bare(type).endsWith('[]'))
    return ARRAY.map((name) => ({ name, type: name === 'length' ? 'number' : 'function' }));
  return types[bare(type)] ?? [];
}

/** Returns the type of a path: `context.user` → `User`; undefined if it is unknown. */
function typeOf(types, scope, path) {
  const [first, ...rest] = path.split(/\??\./);
  return rest.reduce(
    (type, name) => type && membersOf(types, type).find((member) => member.name === name)?.type,
    scope.get(first),
  );
}

/** Returns the types of the function's parameters and of the variables that the script derives from them. */
function scopeOf(types, text) {
  const scope = new Map(types.input.map(({ name, type }) => [name, type]));
  scope.set('environmentVariables', 'environmentVariables');
  const add = (name, path) => {
    const type = typeOf(types, scope, path);
    if (type) scope.set(name, type);
  };
  for (const [, names, path] of text.matchAll(DESTRUCTURED)) {
    for (const each of names.split(',')) {
      const [name, local = name] = each.split(':').map((part) => part.trim());
      if (name) add(local, `${path}.${name}`);
    }
  }
  for (const [, name, path] of text.matchAll(NAMED)) add(name, path);
  return scope;
}

const optionOf = ({ name, type, about }) => ({
  label: name,
  type: type === 'function' ? 'method' : 'property',
  // Generated names of inline object types mean nothing to authors.
  detail: /^\w+\.\w+/.test(type) ? 'object' : type,
  ...(about && { info: about }),
});

/** A completion source of CodeMirror. */
export const completeFrom = (types) => (context) => {
  const before = context.matchBefore(/[\w$]+(?:\??\.[\w$]*)*/);
  if (!before && !context.explicit) return null;
  const { text = '' } = before ?? {};
  const scope = scopeOf(types, context.state.doc.toString());
  const dot = text.lastIndexOf('.');
  if (dot === -1) {
    const options = [
      ...[...scope].map(([name, type]) => ({ ...optionOf({ name, type }), type: 'variable' })),
      ...GLOBALS.map((label) => ({ label, type: 'class' })),
    ];
    return { from: before?.from ?? context.pos, options, validFor: /^[\w$]*$/ };
  }
  const type = typeOf(types, scope, text.slice(0, dot).replace(/\?$/, ''));
  if (!type) return null;
  return { from: before.from + dot + 1, options: membersOf(types, type).map(optionOf), validFor: /^[\w$]*$/ };
};
