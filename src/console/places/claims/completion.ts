/** Members by type name. `input` contains the parameters of the script's function. */
export type Members = Record<string, Member[]>;

export interface Member {
  name: string;
  /** The declared type: `Role[]`, `string | null`. For an inline object type: a generated name. */
  type: string;
  about?: string;
}

const INTERFACE = /interface (\w+) \{\n([\s\S]*?)\n {2}\}/g;
const BEGINNING = /\s*(?:\/\*\* (.*?) \*\/\s*)?(?:(\w+)\??|\[.*?\]|(\w+)\(.*?\)): /y;

/** Index of the end of the type that starts at `start`: the first semicolon outside braces. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (text[at] === ';' && depth === 0) return at;
  }
  return text.length;
}

function addMembers(members: Members, owner: string, text: string): void {
  const own: Member[] = [];
  members[owner] = own;
  let at = 0;
  for (;;) {
    BEGINNING.lastIndex = at;
    const found = BEGINNING.exec(text);
    if (!found) return;
    const [{ length }, about, field, method] = found;
    const end = endOf(text, at + length);
    const written = text.slice(at + length, end).trim();
    at = end + 1;
    const name = field ?? method;
    if (name === undefined) continue; // `[key: string]` has no name to complete.
    const [, inner, suffix = ''] = /^\{([\s\S]*)\}(\[\])?$/.exec(written) ?? [];
    const place = `${owner}.${name}`;
    if (inner !== undefined) addMembers(members, place, inner);
    const type = method ? 'function' : inner === undefined ? written : place + suffix;
    own.push({ name, type, ...(about && { about }) });
  }
}

/**
 * Parses the type declaration for script authors into completions for the editor. The file is ours and has a simple form.
 * Rejected: the TypeScript compiler in the browser. It is nine megabytes.
 *
 * @param input name of the interface that describes the parameter of the script's function
 */
export function membersOf(declaration: string, input: string): Members {
  const members: Members = {};
  for (const [, name = '', body = ''] of declaration.matchAll(INTERFACE)) addMembers(members, name, body);
  return { ...members, input: members[input] ?? [] };
}
