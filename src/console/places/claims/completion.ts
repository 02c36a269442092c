/** Members by the name of the type that has them; `input` names what the script's function is given. */
export type Members = Record<string, Member[]>;

export interface Member {
  name: string;
  /** As it is written: `Role[]`, `string | null`. Of an object written in place: a name made for it. */
  type: string;
  about?: string;
}

const INTERFACE = /interface (\w+) \{\n([\s\S]*?)\n {2}\}/g;
const BEGINNING = /\s*(?:\/\*\* (.*?) \*\/\s*)?(?:(\w+)\??|\[.*?\]|(\w+)\(.*?\)): /y;

/** Where the type that begins at `start` ends: at the semicolon that is not within braces. */
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
    if (name === undefined) continue; // `[key: string]`: nothing to offer.
    const [, inner, suffix = ''] = /^\{([\s\S]*)\}(\[\])?$/.exec(written) ?? [];
    const place = `${owner}.${name}`;
    if (inner !== undefined) addMembers(members, place, inner);
    const type = method ? 'function' : inner === undefined ? written : place + suffix;
    own.push({ name, type, ...(about && { about }) });
  }
}

/**
 * The declaration for authors of scripts, as the editor completes from it. The file is ours and of a simple form; the
 * loser, the TypeScript compiler in the browser, is nine megabytes.
 *
 * @param input the interface of what the script's function is given
 */
export function membersOf(declaration: string, input: string): Members {
  const members: Members = {};
  for (const [, name = '', body = ''] of declaration.matchAll(INTERFACE)) addMembers(members, name, body);
  return { ...members, input: members[input] ?? [] };
}
