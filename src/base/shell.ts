/** All control characters except line breaks, which a quoted text may contain. */
const CONTROLS = /[^\P{Cc}\n]/gu;

const bytesOf = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/**
 * Quotes a text as one word of a shell command. Control characters become escapes: in a command that someone pastes into a
 * terminal they are keys, quoted or not, which can delete the line, enter another one and run it.
 */
export const shellQuoted = (text: string): string =>
  `'${text.replaceAll("'", `'\\''`).replace(CONTROLS, (control) => `'$'${bytesOf(control)}''`)}'`;
