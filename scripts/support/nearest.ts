/** With more changes than this, the user probably meant another word. */
const MAX_CHANGES = 2;

/**
 * Returns the number of letters to insert, remove or replace to turn one word into the other (Levenshtein distance).
 */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = (row[at] as number) + (letter === to[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** Returns the word that the user probably meant. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, changes: distance(typed, word) }))
    .toSorted((one, other) => one.changes - other.changes);
  return best && best.changes <= MAX_CHANGES ? best.word : undefined;
}
