import { describe, expect, it } from 'vitest';
import {
  type Attack,
  attacksOn,
  costOf,
  type Found,
  regularExpressions,
  textOf,
} from './support/regular-expressions.ts';

/** The maximum size of a request body. */
const MAX_BODY = 1024 * 1024;
/** Exponential backtracking is noticeable at this length, but still finishes. */
const TINY = 26;
/** Quadratic backtracking costs some hundred times as much as a linear match at this length. */
const SMALL = 1024;
/** Milliseconds. Shorter measurements are meaningless. */
const NOTICEABLE = 60;
/** For twice the text, a linear expression takes twice as long and a quadratic one four times. */
const MAX_GROWTH = 3.3;
/** The number of worst attacks that are measured in full. */
const SUSPECTS = 4;

/** Returns the items that cost most at a length where all of them can be tried. */
const worst = <Item>(items: Iterable<Item>, cost: (item: Item) => number): Item[] =>
  Array.from(items, (item) => ({ item, cost: cost(item) }))
    .sort((one, other) => other.cost - one.cost)
    .slice(0, SUSPECTS)
    .map(({ item }) => item);

/** Measures groups first, because a measurement takes longer than most matches. */
function worstAttacks({ expression, text }: Found): Attack[] {
  const cost = (attacks: Attack[], length: number) =>
    costOf(
      expression,
      attacks.map((attack) => textOf(attack, length)),
    );
  const groups = worst(attacksOn(expression), (attacks) => {
    const tiny = cost(attacks, TINY); // Without `expect`, which takes longer than a match.
    if (tiny >= NOTICEABLE) expect.fail(`${text} takes ${tiny} ms on one of ${JSON.stringify(attacks)}`);
    return cost(attacks, SMALL);
  });
  return worst(groups.flat(), (attack) => cost([attack], SMALL));
}

/** Returns the length at which the cost of this attack grows faster than the text, or undefined if it never does. */
function breakingPoint({ expression }: Found, attack: Attack): number | undefined {
  let before = costOf(expression, [textOf(attack, SMALL)]);
  for (let length = 2 * SMALL; length <= MAX_BODY; length *= 2) {
    const cost = costOf(expression, [textOf(attack, length)]);
    if (cost > NOTICEABLE && cost > MAX_GROWTH * before) return length;
    before = cost;
  }
  return undefined;
}

describe('regular expressions', () => {
  const found = regularExpressions();

  it('include those of schemas', () => {
    const files = new Set(found.map(({ file }) => file));
    expect(files).toContain('src/entities.ts');
    expect(files).toContain('src/http/operations/pagination.ts');
    expect(found.length).toBeGreaterThan(100);
  });

  it.each(found)('$text in $file takes linear time for 1 MiB of its worst input', (one) => {
    for (const attack of worstAttacks(one)) {
      const length = breakingPoint(one, attack);
      expect(length, `slow on ${JSON.stringify(attack)}`).toBeUndefined();
    }
  });
});
