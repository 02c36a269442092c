/** Completes what a claims script is given, from the declaration for its authors. */

const ARRAY = 'at every filter find flatMap includes join length map reduce slice some sort'.split(' ');
const GLOBALS = ['console', 'crypto', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa'];

const DESTRUCTURED = /(?:const|let)\s*\{([^{}]*)\}\s*=\s*([\w$.?]+)/g;
const NAMED = /(?:const|let)\s+([\w$]+)\s*=\s*([\w$]+(?:\??\.[\w$]+)*)\s*;/g;

const bare = (type) => type.replaceAll(/(?<!\s)\s*\|\s*(?:null|undefined)/g, '');

/** What stands behind a dot after this type. */
function membersOf(types, type) {
  if (bare(type).endsWith('[]'))
    return ARRAY.map((name) => ({ name, type: name === 'length' ? 'number' : 'function' }));
  return types[bare(type)] ?? [];
}

/** `context.user` → `User`; undefined when it leads nowhere that is known. */
function typeOf(types, scope, path) {
  const [first, ...rest] = path.split(/\??\./);
  return rest.reduce(
    (type, name) => type && membersOf(types, type).find((member) => member.name === name)?.type,
    scope.get(first),
  );
}

/** What the function is given, and what the script took from it by a name. */
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
  // The names that we gave to what is written in place say nothing.
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
